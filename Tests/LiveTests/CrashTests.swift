// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Testing

/// Nothing lost, nothing sent twice: the gateway is killed at random moments while clients upload.
///
/// `FANLIGHT_KILLS` and `FANLIGHT_SEED` make longer and other runs; `scripts/crash-test` sets them.
@Suite("Kills at random moments", .serialized)
struct CrashTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("Every acknowledged upload ends with a truthful report, and no service gets a picture twice")
    func kills() async throws {
        let kills = Self.number("FANLIGHT_KILLS") ?? 10
        let seed = UInt64(Self.number("FANLIGHT_SEED") ?? 1)
        let rig = try CrashRig()
        var random = SeededGenerator(seed: seed)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 { group.addTask { await rig.client(number, seed: seed) } }
            defer { rig.end() }
            for _ in 0..<kills {
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...700, using: &random)))
                try rig.killAndRestart()
            }
            try await Task.sleep(for: .milliseconds(500))
        }
        let reports = try await settled(rig)
        // A request that was on its way at the last kill may still be delayed there.
        try await Task.sleep(for: .seconds(1))
        let records = Records(try await rig.requests())
        #expect(reports.count * Patience.factor >= kills, "too few uploads to prove anything")
        check(reports, records)
        checkKeys(rig.acknowledged)
        let told = Dictionary(grouping: reports.values.flatMap(Self.states), by: { $0 }).mapValues(\.count)
        print(
            "\(kills) kills, seed \(seed): \(reports.count) uploads acknowledged, \(records.count) requests, \(told), "
                + "not acknowledged \(rig.refusals)"
        )
    }

    /// The final reports by id, once nothing is pending.
    private func settled(_ rig: CrashRig) async throws -> [String: JSONValue] {
        var left = Set(rig.acknowledged.map(\.id))
        var reports: [String: JSONValue] = [:]
        let end = ContinuousClock.now + .seconds(180)
        while !left.isEmpty, ContinuousClock.now < end {
            for id in left {
                let report = try await rig.report(id)
                // Whatever it says in the end: an acknowledged upload is known at any time.
                try #require(report["id"]?.string == id, "upload \(id) is lost: \(report.serialized())")
                if report["status"] != "pending" {
                    reports[id] = report
                    left.remove(id)
                }
            }
            if !left.isEmpty { try await Task.sleep(for: .milliseconds(200)) }
        }
        #expect(left.isEmpty, "\(left.count) uploads are pending for ever")
        return reports
    }

    private static func states(_ report: JSONValue) -> [String] {
        (report["deliveries"]?.array ?? []).map { entry in
            "\(entry["service"]?.string ?? "") \(entry["status"]?.string ?? "")"
        }
    }

    /// What the report says is what the service saw.
    private func check(_ reports: [String: JSONValue], _ records: Records) {
        for (id, report) in reports {
            let entries = report["deliveries"]?.array ?? []
            #expect(entries.compactMap { $0["service"]?.string } == CrashRig.services, "\(id)")
            for entry in entries {
                guard let service = entry["service"]?.string, let status = entry["status"]?.string else { continue }
                let accepted = records.accepted(id, service)
                switch status {
                case "delivered":
                    #expect(accepted >= 1, "\(id) at \(service): delivered, but never arrived")
                case "failed":
                    #expect(accepted == 0, "\(id) at \(service): failed, but it was accepted: \(entry.serialized())")
                case "unknown":
                    // What may be repeated is, unless the service's rate is used up then, or no answer ever comes.
                    let isUsedUp = CrashRig.rated.contains(service) && entry["error"]?["kind"] == "rate_limited"
                    #expect(
                        !CrashRig.repeatable.contains(service) || isUsedUp || service == CrashRig.silent,
                        "\(id): unknown although it may be repeated: \(entry.serialized())"
                    )
                default:
                    Issue.record("\(id) at \(service): \(status)")
                }
            }
        }
        // Not only what was acknowledged: no upload at all comes twice where it must not.
        for (place, count) in records.complete
        where !CrashRig.repeatable.contains(String(place.split(separator: " ").last ?? "")) {
            #expect(count == 1, "\(place): \(count) complete requests")
        }
        for service in CrashRig.rated {
            let count = records.complete.reduce(0) { $0 + ($1.key.hasSuffix(" " + service) ? $1.value : 0) }
            #expect(count <= CrashRig.rate, "\(service): \(count) requests, more than its rate in all runs together")
        }
    }

    /// Under one key there is one upload, however often it was posted.
    private func checkKeys(_ acknowledged: [CrashRig.Acknowledgement]) {
        for (title, told) in Dictionary(grouping: acknowledged, by: \.title) {
            #expect(Set(told.map(\.id)).count == 1, "\(title) became several uploads")
        }
    }
}

/// What the services saw, counted by upload and service.
private struct Records {
    var complete: [String: Int] = [:]
    private var good: [String: Int] = [:]
    var count: Int

    init(_ requests: [JSONValue]) {
        count = requests.count
        for request in requests {
            let place = (request["fields"]?["upload"]?.string ?? "") + " " + (request["query"]?["as"]?.string ?? "")
            complete[place, default: 0] += 1
            if request["status"]?.int == 200 { good[place, default: 0] += 1 }
        }
    }

    func accepted(_ upload: String, _ service: String) -> Int { good[upload + " " + service] ?? 0 }
}

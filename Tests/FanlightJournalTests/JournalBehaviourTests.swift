// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Testing

@testable import FanlightJournal

/// What every journal does; each test runs over the durable one and over the one for tests.
@Suite("Journal behaviour")
struct JournalBehaviourTests {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case sqlite, memory
        var testDescription: String { rawValue }
    }

    private let state = StateFixture()

    private func journal(_ kind: Kind) throws -> any Journal {
        switch kind {
        case .sqlite: try state.journal()
        case .memory: MemoryJournal()
        }
    }

    @Test("An upload comes back as it was accepted, every value of it", arguments: Kind.allCases)
    func roundTrip(_ kind: Kind) async throws {
        let journal = try journal(kind)
        let upload = JournalUpload.full("one")
        try await journal.accept([upload], key: nil, files: [])
        #expect(try await journal.upload("one") == upload)
        #expect(try await journal.upload("two") == nil)
    }

    @Test("The sample has another value than none in every place, so that none is left out of the record unseen")
    func sampleIsFull() throws {
        let full = JournalUpload.full("one")
        func places(_ value: Any) -> [String: String] {
            Dictionary(uniqueKeysWithValues: Mirror(reflecting: value).children.map { ($0.label ?? "", "\($0.value)") })
        }
        let pairs: [(Any, Any)] = [
            (full.image, ImageFacts(mediaType: .jpeg, width: 1, height: 1)), (full.image.fix, PositionFix()),
            (full.caption, Caption()), (full.deliveries[2].links, DeliveryLinks()),
            (
                full.renditions[0],
                JournalRendition(file: "f", bytes: 0, mediaType: .png, width: 0, height: 0, lane: .rotated)
            ),
        ]
        for (value, empty) in pairs {
            let none = places(empty)
            // A part has a picture in the spool, and a test of its own.
            for (name, text) in places(value) where name != "part" {
                #expect(text != none[name], "\(type(of: value)).\(name)")
            }
        }
    }

    @Test("Changes are those that every journal makes", arguments: Kind.allCases)
    func changes(_ kind: Kind) async throws {
        let journal = try journal(kind)
        let failure = DeliveryFailure(kind: .network, message: "refused", retry: .retry)
        var lost = failure
        lost.mayHaveArrived = true
        let deep = (0..<64).reduce(JSONValue.string("t2")) { value, _ in .array([value]) }
        let rows: [JournalChange] = [
            .attempting(attempt: 1, at: 1_500),
            .backingOff(until: 1_900, attempts: 1, failure),
            .releasing(attempt: 2, at: 1_950),
            .progress(.object([.init("ticket", "t1")])),
            // As deep as a reply may be, inside of what a run keeps.
            .progress(.object([.init("captures", .object([.init("ticket", deep)]))])),
            .releasing(attempt: 3, at: 1_960),
            .progress(nil),
            .doubting(attempt: 4, at: 1_970),
            .attempting(attempt: 5, at: 1_975),
            .progress(nil, isInDoubt: true),
            .progress(nil),
            .backingOff(until: 1_990, attempts: 5, lost),
            .attempting(attempt: 6, at: 1_995),
            .backingOff(until: 1_999, attempts: 6, failure),
            .doubting(attempt: 7, at: 2_000),
            .settled(.failed()),
            .reopened(at: 2_100),
            .settled(.unknown()),
            .reopened(at: 2_500),
            .releasing(attempt: 1, at: 2_600),
            .settled(.delivered(at: 2_700, event: 2)),
            .deletion(JournalDeletion(state: .pending, at: 2_800)),
            .deletion(JournalDeletion(state: .failed, attempts: 1, at: 2_900, failure: failure)),
            .deletion(JournalDeletion(state: .deleted, attempts: 2, at: 3_000)),
        ]
        var expected = JournalUpload.sample("one", ["a"])
        try await journal.accept([expected], key: nil, files: [])
        for change in rows {
            expected.deliveries[0].apply(change)
            try await journal.record([JournalNote(upload: "one", delivery: 0, change)])
            #expect(try await journal.upload("one") == expected, "\(change)")
        }
    }

    @Test("Notes about the whole upload, and about what is not there", arguments: Kind.allCases)
    func otherNotes(_ kind: Kind) async throws {
        let journal = try journal(kind)
        var expected = JournalUpload.sample("one", ["a", "b"])
        // Nobody waits for what is only measured.
        expected.deliveries[1].role = .shadow
        try await journal.accept([expected], key: nil, files: [])
        expected.choices = .object([.init("policy", "first")])
        expected.notification = JournalNotification(attempts: 2, dueAt: 9_000)
        try await journal.record([
            JournalNote(upload: "one", .choices(expected.choices)),
            JournalNote(upload: "one", .notification(JournalNotification(attempts: 2, dueAt: 9_000))),
            JournalNote(upload: "none", delivery: 0, .settled(.delivered())),
            JournalNote(upload: "one", delivery: 7, .settled(.delivered())),
        ])
        #expect(try await journal.upload("one") == expected)
        #expect(try await journal.dueNotifications(now: 8_999, limit: 9).isEmpty)
        // Not while it is delivered again.
        #expect(try await journal.dueNotifications(now: 9_000, limit: 9).isEmpty)
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        #expect(try await journal.dueNotifications(now: 9_000, limit: 9).map(\.id) == ["one"])
        try await journal.record([
            JournalNote(upload: "one", .notification(JournalNotification(attempts: 3, dueAt: 9_000, isDone: true)))
        ])
        #expect(try await journal.dueNotifications(now: 9_999, limit: 9).isEmpty)
    }

    @Test("Posted notes stand before recorded ones that follow them", arguments: Kind.allCases)
    func order(_ kind: Kind) async throws {
        let journal = try journal(kind)
        try await journal.accept([.sample("one", ["a"])], key: nil, files: [])
        journal.post(JournalNote(upload: "one", delivery: 0, .attempting(attempt: 1, at: 1_500)))
        journal.keep(.int(7), as: "rate a")
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        let upload = try #require(try await journal.upload("one"))
        #expect(upload.deliveries[0].firstAttemptAt == 1_500 && upload.deliveries[0].status == .delivered)
        #expect(try await journal.kept("rate a") == .int(7))
        #expect(try await journal.kept("rate b") == nil)
        journal.keep(.int(8), as: "rate%")
        try await journal.record([])
        #expect(try await journal.kept(beginning: "rate") == ["rate a": .int(7), "rate%": .int(8)])
        #expect(try await journal.kept(beginning: "rate%") == ["rate%": .int(8)])
    }

    @Test("What is unfinished comes oldest first, page by page; a wanted deletion counts", arguments: Kind.allCases)
    func unfinished(_ kind: Kind) async throws {
        let journal = try journal(kind)
        for number in 1...5 { try await journal.accept([.sample("u\(number)", ["a"])], key: nil, files: []) }
        try await journal.record(
            ["u2", "u4"].map { JournalNote(upload: $0, delivery: 0, .settled(.delivered())) }
        )
        #expect(try await journal.unfinished(after: nil, limit: 9).map(\.id) == ["u1", "u3", "u5"])
        #expect(try await journal.unfinished(after: nil, limit: 2).map(\.id) == ["u1", "u3"])
        #expect(try await journal.unfinished(after: "u3", limit: 2).map(\.id) == ["u5"])
        try await journal.record([
            JournalNote(upload: "u2", delivery: 0, .deletion(JournalDeletion(state: .pending, at: 3_000)))
        ])
        #expect(try await journal.unfinished(after: nil, limit: 9).map(\.id) == ["u1", "u2", "u3", "u5"])
        try await journal.record([JournalNote(upload: "u4", delivery: 0, .reopened(at: 3_000))])
        #expect(try await journal.unfinished(after: "u3", limit: 9).map(\.id) == ["u4", "u5"])
    }

    @Test("History: newest first, by pages and by filters", arguments: Kind.allCases)
    func history(_ kind: Kind) async throws {
        let journal = try journal(kind)
        for number in 1...6 {
            var upload = JournalUpload.sample("u\(number)", [number % 2 == 0 ? "a" : "b"], at: Int64(number) * 100)
            upload.client = number < 3 ? "c" : ""
            try await journal.accept([upload], key: nil, files: [])
        }
        try await journal.record([
            JournalNote(upload: "u1", delivery: 0, .settled(.delivered())),
            JournalNote(upload: "u2", delivery: 0, .settled(.delivered())),
            JournalNote(upload: "u5", delivery: 0, .settled(.failed())),
        ])
        func ids(_ query: JournalQuery) async throws -> [String] { try await journal.history(query).uploads.map(\.id) }
        #expect(try await ids(JournalQuery()) == ["u6", "u5", "u4", "u3", "u2", "u1"])
        #expect(try await ids(JournalQuery(status: .delivered)) == ["u2", "u1"])
        #expect(try await ids(JournalQuery(status: .failed)) == ["u5"])
        #expect(try await ids(JournalQuery(status: .pending)) == ["u6", "u4", "u3"])
        #expect(try await ids(JournalQuery(service: "b")) == ["u5", "u3", "u1"])
        #expect(try await ids(JournalQuery(status: .delivered, service: "b")) == ["u1"])
        #expect(try await ids(JournalQuery(client: "c")) == ["u2", "u1"])
        #expect(try await ids(JournalQuery(since: 300, until: 500)) == ["u4", "u3"])
        var found: [[String]] = []
        var query = JournalQuery(limit: 4)
        repeat {
            let page = try await journal.history(query)
            found.append(page.uploads.map(\.id))
            query.cursor = page.next
        } while query.cursor != nil
        #expect(found == [["u6", "u5", "u4", "u3"], ["u2", "u1"]])
    }

    @Test("An idempotency key is taken once, by one client, for 24 hours", arguments: Kind.allCases)
    func keys(_ kind: Kind) async throws {
        let journal = try journal(kind)
        let day: Int64 = 24 * 3_600_000
        let key = JournalKey(key: "k", client: "c", bodyDigest: "d", uploads: ["one"], createdAt: 1_000)
        try await journal.accept([.sample("one")], key: key, files: [])
        #expect(try await journal.key("k", client: "c", now: 1_000 + day - 1) == key)
        #expect(try await journal.key("k", client: "c", now: 1_000 + day) == nil)
        #expect(try await journal.key("k", client: "e", now: 1_000) == nil)
        var second = key
        second.uploads = ["two"]
        await #expect(throws: JournalError.keyTaken) {
            try await journal.accept([.sample("two")], key: second, files: [])
        }
        #expect(try await journal.upload("two") == nil)
        second.client = "e"
        try await journal.accept([.sample("two")], key: second, files: [])
        second.uploads = ["three"]
        second.createdAt = 1_000 + day
        try await journal.accept([.sample("three")], key: second, files: [])
        #expect(try await journal.key("k", client: "e", now: 1_000 + day) == second)
    }

    @Test(
        "A standing delivery is found by service, picture and caption; not once it is deleted",
        arguments: Kind.allCases
    )
    func reuse(_ kind: Kind) async throws {
        let journal = try journal(kind)
        for (id, caption) in [("one", "d"), ("two", "d"), ("three", "e")] {
            var upload = JournalUpload.sample(id, ["a"])
            upload.deliveries[0].captionDigest = caption
            try await journal.accept([upload], key: nil, files: [])
        }
        func found(_ service: String, _ picture: String, _ caption: String) async throws -> JournalReuse? {
            try await journal.reusable(service: service, renditionSHA256: picture, captionDigest: caption)
        }
        #expect(try await found("a", "abc", "d") == nil)
        let first = JournalOutcome.delivered("https://e.org/1", at: 2_000)
        let second = JournalOutcome.delivered("https://e.org/2", at: 3_000)
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(first))])
        try await journal.record([JournalNote(upload: "two", delivery: 0, .settled(second))])
        #expect(try await found("a", "abc", "d") == JournalReuse(upload: "two", links: second.links, settledAt: 3_000))
        #expect(try await found("b", "abc", "d") == nil)
        #expect(try await found("a", "abd", "d") == nil)
        #expect(try await found("a", "abc", "e") == nil)
        let deletion = JournalDeletion(state: .deleted, at: 4_000)
        try await journal.record([JournalNote(upload: "two", delivery: 0, .deletion(deletion))])
        #expect(try await found("a", "abc", "d")?.upload == "one")
    }

    @Test("What shares its links with a deleted delivery is not reused", arguments: Kind.allCases)
    func twins(_ kind: Kind) async throws {
        let journal = try journal(kind)
        for (id, link) in [("other", "https://e.org/0"), ("one", "https://e.org/1"), ("two", "https://e.org/1")] {
            var upload = JournalUpload.sample(id, ["a"])
            upload.deliveries[0].captionDigest = "d"
            try await journal.accept([upload], key: nil, files: [])
            try await journal.record([JournalNote(upload: id, delivery: 0, .settled(.delivered(link)))])
        }
        let deletion = JournalDeletion(state: .pending, at: 4_000)
        try await journal.record([JournalNote(upload: "two", delivery: 0, .deletion(deletion))])
        let found = try await journal.reusable(service: "a", renditionSHA256: "abc", captionDigest: "d")
        #expect(found?.upload == "other")
    }

    @Test("Who else has the very same links at a service", arguments: Kind.allCases)
    func sharers(_ kind: Kind) async throws {
        let journal = try journal(kind)
        let links = ["one": "1", "two": "1", "three": "2", "four": "1", "five": "1"]
        for id in ["one", "two", "three", "four", "five"] {
            var upload = JournalUpload.sample(id, ["a"])
            upload.deliveries[0].captionDigest = id == "four" ? "e" : "d"
            try await journal.accept([upload], key: nil, files: [])
            guard id != "five" else { continue }
            let outcome = JournalOutcome.delivered("https://e.org/" + (links[id] ?? ""))
            try await journal.record([JournalNote(upload: id, delivery: 0, .settled(outcome))])
        }
        func sharer(_ id: String) async throws -> String? {
            let delivery = try #require(try await journal.upload(id)).deliveries[0]
            return try await journal.sharer(of: delivery, renditionSHA256: "abc", besides: id)
        }
        #expect(try await sharer("one") == "two")
        #expect(try await sharer("two") == "one")
        #expect(try await sharer("three") == nil)
        #expect(try await sharer("four") == nil)
        // Shown on one page, but another picture: what deletes it tells them apart.
        var other = JournalOutcome.delivered("https://e.org/1")
        other.links.captures = ["deletehash": "other"]
        try await journal.record([JournalNote(upload: "five", delivery: 0, .settled(other))])
        #expect(try await sharer("five") == nil)
        let given = JournalDeletion(state: .shared, at: 4_000)
        try await journal.record([JournalNote(upload: "one", delivery: 0, .deletion(given))])
        #expect(try await sharer("two") == nil)
        let record = try #require(try await journal.upload("one"))
        #expect(record.deliveries[0].status == .deleted && record.deliveries[0].deletion == given)
        // The one that stands can be reused.
        try await journal.remove(["five", "three"])
        let found = try await journal.reusable(service: "a", renditionSHA256: "abc", captionDigest: "d")
        #expect(found?.upload == "two")
    }

    @Test("What was kept is on disk when an empty record returns", arguments: Kind.allCases)
    func keptBefore(_ kind: Kind) async throws {
        let journal = try journal(kind)
        for number in 0..<20 {
            journal.keep(.int(number), as: "count")
            try await journal.record([])
            #expect(try await journal.kept("count") == .int(number))
        }
    }

    @Test("Finished uploads can be removed, pending ones cannot", arguments: Kind.allCases)
    func remove(_ kind: Kind) async throws {
        let journal = try journal(kind)
        for id in ["one", "two"] { try await journal.accept([.sample(id, ["a"])], key: nil, files: []) }
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        try await journal.remove(["one", "two", "three"])
        #expect(try await journal.upload("one") == nil)
        #expect(try await journal.upload("two") != nil)
        let counters = try await journal.counters()
        #expect(counters.uploads == 1 && counters.unfinished == 1)
    }

    @Test("After the end, writing is refused", arguments: Kind.allCases)
    func closed(_ kind: Kind) async throws {
        let journal = try journal(kind)
        await journal.close()
        await #expect(throws: JournalError.closed) {
            try await journal.accept([.sample("one")], key: nil, files: [])
        }
        await #expect(throws: JournalError.closed) {
            try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        }
    }
}

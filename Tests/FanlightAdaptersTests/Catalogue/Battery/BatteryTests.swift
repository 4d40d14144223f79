// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// The same faults for every entry of the catalogue, in each of its exchanges.
@Suite struct BatteryTests {
    /// Entries that send something.
    static let names = Catalogue.standard.names.filter { Catalogue.standard[$0]?["store"] == nil }

    @Test(arguments: names)
    func everyEntryCanBeRehearsed(_ name: String) throws {
        let rehearsal = try #require(Rehearsal(adapter: name), "no test of it ends with links")
        let outcome = try #require(rehearsal.play(nil, at: nil))
        guard case .failure(let failure) = outcome.result else { return }
        Issue.record("\(failure.message)")
    }

    @Test(arguments: names)
    func everyFaultHasItsKindAndRetryClass(_ name: String) throws {
        let rehearsal = try #require(Rehearsal(adapter: name))
        for index in rehearsal.replies.indices {
            for fault in Fault.all where Self.applies(fault, rehearsal.replies[index]) {
                guard let outcome = rehearsal.play(fault, at: index) else {
                    Issue.record("exchange \(index), \(fault.name): no end")
                    continue
                }
                let lines = Self.differences(fault, outcome, rehearsal)
                for line in lines { Issue.record("exchange \(index), \(fault.name): \(line)") }
            }
        }
    }

    @Test(arguments: names)
    func noFailureTellsASecret(_ name: String) throws {
        let rehearsal = try #require(Rehearsal(adapter: name))
        let told = rehearsal.secrets.joined(separator: " and ")
        for status in [200, 400, 401, 500] {
            let bodies = [
                told, #"{"message": "\#(told)", "error": "\#(told)"}"#,
                #"<rsp stat="fail"><err msg="\#(told)"/></rsp>"#,
            ]
            for body in bodies {
                let fault = Fault(name: "told") { _, request in
                    let headers = [HTTPField("Location", "https://h.example/?\(told)")]
                    return .success(
                        HTTPReply(status: status, headers: headers, body: Array(body.utf8), finalURL: request.url)
                    )
                }
                for index in rehearsal.replies.indices {
                    guard case .failure(let failure)? = rehearsal.play(fault, at: index)?.result else { continue }
                    for secret in rehearsal.secrets where failure.message.contains(secret) {
                        Issue.record("exchange \(index), status \(status): a secret in '\(failure.message)'")
                    }
                }
            }
        }
    }

    /// A fault that changes the reply means nothing where the reply has no body of its own.
    private static func applies(_ fault: Fault, _ own: HTTPReply) -> Bool {
        let text = String(decoding: own.body, as: UTF8.self)
        if fault.needsBody { return ["{", "<", "["].contains { text.hasPrefix($0) } }
        return fault.status != nil || fault.expected == nil || !own.body.isEmpty || !fault.changesBody
    }

    private static func differences(_ fault: Fault, _ outcome: Rehearsal.Outcome, _ rehearsal: Rehearsal) -> [String] {
        switch outcome.result {
        case .success(let links):
            var lines = hostileLinks(links)
            if fault.expected != nil, !mayGoOn(fault, outcome.exchange, rehearsal) {
                lines.append("counted as a success")
            }
            return lines
        case .failure(let failure):
            guard let expected = fault.expected else {
                // A poll whose own reply was not the last one goes on asking.
                let isSlow = failure.kind == .timeout && outcome.exchange?.isPoll ?? false
                return isSlow || [.badReply, .rejected, .auth].contains(failure.kind) ? [] : ["kind \(failure.kind)"]
            }
            let own = fault.status.map { kinds(ofStatus: String($0), rehearsal.adapter) } ?? []
            var lines: [String] = []
            let login: [ErrorKind] = outcome.exchange == nil ? [.auth] : []
            if !(own.isEmpty ? expected.kinds + login : own).contains(failure.kind) {
                lines.append("kind \(failure.kind.rawValue) for '\(failure.message)'")
            }
            let isRepeatable = outcome.exchange?.isIdempotent ?? true
            if failure.kind == .timeout, outcome.exchange?.isPoll ?? false { return [] }
            // A step that goes back after some faults says itself which of them may be repeated.
            let isSelective = restarts(outcome.exchange, rehearsal) && [expected.retry, .retry].contains(failure.retry)
            let retry = isSelective ? failure.retry : isRepeatable ? expected.repeatable : expected.retry
            let isOwn = failure.kind == .rateLimited && expected.kinds != [.rateLimited]
            if failure.retry != retry, !isOwn { lines.append("retry \(failure.retry) instead of \(retry)") }
            return lines
        }
    }

    private static func hostileLinks(_ links: DeliveryLinks) -> [String] {
        [links.link, links.page, links.thumbnail, links.deleteURL].compactMap { $0 }.filter { link in
            !(link.hasPrefix("https://") || link.hasPrefix("http://")) || link.contains("password@")
                || link.utf8.count > 4_096 || link.contains(where: \.isWhitespace)
        }
        .map { "the link '\($0.prefix(80))'" }
    }

    /// Kinds that an entry, or one that it is based on, gives a status.
    private static func kinds(ofStatus status: String, _ adapter: String) -> [ErrorKind] {
        guard let entry = Catalogue.standard[adapter] else { return [] }
        let steps =
            (entry["steps"]?.items ?? []) + (entry["auth"]?["login"].map { $0.items.isEmpty ? [$0] : $0.items } ?? [])
        let own = ([entry] + steps).compactMap { $0["error"]?["kinds"]?[status]?.text }
        let based = entry["adapter"]?.text.map { kinds(ofStatus: status, $0) } ?? []
        return own.compactMap { ErrorKind(rawValue: $0) } + based
    }

    /// True where the fault of a step fails nothing, or cannot be seen in its reply.
    private static func mayGoOn(_ fault: Fault, _ exchange: Exchange?, _ rehearsal: Rehearsal) -> Bool {
        guard let exchange else { return false }
        if fault.changesBody, rehearsal.silentSteps.contains(exchange.step) { return true }
        return step(exchange, rehearsal)?["optional"]?.text == "true"
    }

    private static func restarts(_ exchange: Exchange?, _ rehearsal: Rehearsal) -> Bool {
        exchange.flatMap { step($0, rehearsal) }.map { $0["restart"] != nil || $0["retry_when"] != nil } ?? false
    }

    private static func step(_ exchange: Exchange, _ rehearsal: Rehearsal) -> Node? {
        Rehearsal.steps(rehearsal.adapter).first { $0["id"]?.text == exchange.step }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// Whatever URL a reply holds: nothing that harms is passed on, and no request goes where it points.
@Suite struct HostileLinkTests {
    private static let hostile = [
        "javascript:alert(document.domain)//hostile.example",
        "file:///etc/hostile.example",
        "data:text/html,hostile.example",
        "https://ada:lovelace@hostile.example/a.jpg",
        "https://catalogue.example\\@hostile.example/a.jpg",
    ]
    /// As long as a reply may be.
    private static let endless = "https://hostile.example/" + String(repeating: "a", count: 1_000_000)

    @Test(arguments: Catalogue.standard.names)
    func hostileLinksAreNotPassedOn(_ name: String) {
        for (number, rehearsal) in Rehearsal.all(of: name).enumerated() {
            let isFirst = number == 0
            for (index, visit) in rehearsal.visits.enumerated() {
                for (place, url) in Self.urls(in: visit.reply).enumerated() {
                    for hostile in Self.hostile
                        + (place == 0 && index == rehearsal.visits.count - 1 && isFirst ? [Self.endless] : [])
                    {
                        let lines = trial(rehearsal, index, url, hostile)
                        #expect(lines == [], "\(rehearsal): \(hostile.prefix(60)) for \(url) in \(visit.step)")
                    }
                }
            }
        }
    }

    /// One delivery in which a URL of one reply is another one.
    private func trial(_ rehearsal: Rehearsal, _ index: Int, _ url: String, _ hostile: String) -> [String] {
        let target = rehearsal.visits[index]
        let place = rehearsal.visits[..<index].count { $0.step == target.step }
        let bad = Self.replacing(url, with: hostile, in: target.reply)
        var host = ScriptedHost(rehearsal)
        func script(_ request: HTTPRequest, _ exchange: Exchange, _ visit: Int) -> Result<HTTPReply, TransportError> {
            guard exchange.step == target.step, visit >= place else {
                return rehearsal.answer(request, exchange, visit)
            }
            var reply = bad
            reply.finalURL = request.url
            return .success(reply)
        }
        let attempt = host.deliver(script)
        var lines = attempt.sent.filter { Self.isHostile($0.request.url) }.map { "\($0.exchange.step) went there" }
        guard let result = attempt.result else { return lines + ["the attempt does not end"] }
        switch result {
        case .success(let links):
            if isTheLink(url, index, rehearsal) {
                lines.append("delivered with \(links.best?.prefix(80) ?? "no link")")
            }
            let told = [links.link, links.page, links.thumbnail, links.deleteURL].compactMap { $0 }
            lines += (told + links.more.map(\.value)).filter(Self.isHostile).map { "passed on: \($0.prefix(80))" }
            let deletion = host.delete(links) { request, _, _ in
                .failure(TransportError(.refused, message: request.url, requestFullySent: false))
            }
            lines += (deletion?.sent ?? []).filter { Self.isHostile($0.request.url) }.map { _ in
                "the deletion went there"
            }
        case .failure(let failure):
            let isLogin = target.step.hasPrefix("login.")
            if failure.kind != .badReply, !isLogin { lines.append("kind \(failure.kind): \(failure.message)") }
            if failure.retry != .never { lines.append("retry class \(failure.retry)") }
            if failure.message.count > 400 { lines.append("a message of \(failure.message.count) characters") }
        }
        return lines
    }

    /// True where the delivery's link is read from that reply and from nowhere else.
    private func isTheLink(_ url: String, _ index: Int, _ rehearsal: Rehearsal) -> Bool {
        url == rehearsal.links.link && index == rehearsal.visits.count - 1
            && rehearsal.service.result.link?.list.count == 1
    }

    private static func isHostile(_ url: String) -> Bool {
        guard let host = WebAddress(url)?.host else { return true }
        return host.contains("hostile.example") || url.utf8.count > 100_000
    }

    /// Absolute URLs in a reply's head and body.
    private static func urls(in reply: HTTPReply) -> [String] {
        let body = Words.replacing("\\/", with: "/", in: String(decoding: reply.body, as: UTF8.self))
        var found: [String] = []
        for text in [body] + reply.headers.map(\.value) {
            var rest = Substring(text)
            while let start = rest.firstRange(of: "http")?.lowerBound {
                rest = rest[start...]
                let url = String(rest.prefix { !$0.isWhitespace && !"\"'<>,)".contains($0) })
                if LinkRules.isAbsolute(url), !found.contains(url) { found.append(url) }
                rest = rest.dropFirst(4)
            }
        }
        return found
    }

    private static func replacing(_ url: String, with hostile: String, in reply: HTTPReply) -> HTTPReply {
        var out = reply
        let body = Words.replacing("\\/", with: "/", in: String(decoding: reply.body, as: UTF8.self))
        let isJSON = body.hasPrefix("{") || body.hasPrefix("[")
        let escaped = isJSON ? Words.replacing("\\", with: "\\\\", in: hostile) : hostile
        out.body = Array(Words.replacing(url, with: escaped, in: body).utf8)
        out.headers = reply.headers.map { HTTPField($0.name, Words.replacing(url, with: hostile, in: $0.value)) }
        return out
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

@testable import FanlightAdapters

/// What holds for everything that leaves an adapter, whatever a service replied; told by bytes, as whoever reads a URL
/// after us sees it.
enum FuzzPromises {
    /// A failure is told in one short line without a credential.
    static func broken(_ failure: DeliveryFailure, _ service: CompiledService) -> String? {
        if let broken = brokenLine(failure.message, limit: 2_000, service) { return "message: " + broken }
        if case .retryAfter(let wait) = failure.retry, wait < .zero || wait > .seconds(86_400) { return "wait \(wait)" }
        return nil
    }

    /// Links are plain http or https URLs, without credentials of ours or anybody's.
    static func broken(_ links: DeliveryLinks, _ service: CompiledService) -> String? {
        let told = [links.link, links.page, links.thumbnail, links.deleteURL].compactMap { $0 }
        for url in told + links.more.map(\.value) {
            if let broken = brokenURL(url) ?? brokenLine(url, limit: 3 * 4_096, service) { return "link: " + broken }
        }
        if links.link == nil, links.page == nil, links.remoteID == nil { return "delivered to nowhere" }
        if let id = links.remoteID, let broken = brokenLine(id, limit: 4 * 512, service) { return "id: " + broken }
        if let end = links.expiresAt, end.utf8.count != 20 || Moment(iso: end) == nil { return "expires at no time" }
        return nil
    }

    /// A request goes to a host that the adapter names, on one line a header.
    static func broken(_ request: HTTPRequest, _ service: CompiledService) -> String? {
        if let broken = brokenURL(request.url) { return "request: " + broken }
        if request.url.utf8.count > 100_000 { return "a URL of \(request.url.utf8.count) bytes" }
        for header in request.headers {
            if header.value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "a header of several lines" }
        }
        let host = host(of: request.url)
        let steps = service.steps + (service.session?.steps ?? []) + [service.delete].compactMap { $0 }
        let named = steps.flatMap { $0.request.declared + $0.request.allowed }
        let isNamed = named.contains { pattern in
            pattern.name == host || pattern.name.hasPrefix("*") && host.hasSuffix(pattern.name.dropFirst())
        }
        return isNamed || named.isEmpty ? nil : "a request to another host"
    }

    private static func brokenLine(_ text: String, limit: Int, _ service: CompiledService) -> String? {
        if text.utf8.count > limit { return "\(text.utf8.count) bytes" }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "a control character" }
        let secrets = service.secrets.filter { $0.utf8.count >= 4 }
        return secrets.contains { FuzzPieces.contains(text, $0) } ? "a credential" : nil
    }

    /// Plain ASCII, http or https, and a host without a name and a password before it.
    private static func brokenURL(_ url: String) -> String? {
        let bytes = Array(url.utf8)
        let lower = bytes.prefix(8).map { $0 > 64 && $0 < 91 ? $0 | 0x20 : $0 }
        guard lower.starts(with: Array("http://".utf8)) || lower == Array("https://".utf8) else { return "no http URL" }
        if bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return "a URL with a blank" }
        let authority = authority(of: bytes)
        if authority.isEmpty { return "a URL without a host" }
        let isPlain = !authority.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "\\") }
        return isPlain ? nil : "a URL with a user"
    }

    private static func authority(of url: [UInt8]) -> ArraySlice<UInt8> {
        let start = url.firstIndex(of: UInt8(ascii: "/")).map { $0 + 2 } ?? url.count
        let ends = Array("/?#".utf8)
        return url[min(start, url.count)...].prefix { !ends.contains($0) }
    }

    /// The host as a client of HTTP reads it, in lower case.
    private static func host(of url: String) -> String {
        let authority = authority(of: Array(url.utf8))
        let colon = authority.lastIndex(of: UInt8(ascii: ":"))
        let isBracketed = authority.first == UInt8(ascii: "[") && authority.last == UInt8(ascii: "]")
        let name = isBracketed ? authority : authority[..<(colon ?? authority.endIndex)]
        return String(decoding: name, as: UTF8.self).lowercased()
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Finds the address of the client behind trusted proxies.
enum ClientAddress {
    /// Entries of a header that are looked at, from the nearest on.
    private static let longest = 32

    /// The address that the nearest trusted proxies vouch for: from the right, the first one that is no proxy of ours.
    ///
    /// What stands left of it was written by whoever asked and counts for nothing. Without trusted proxies, the peer.
    static func of(_ head: RequestHead, proxies: AddressSet, field: ForwardedField) -> String {
        guard proxies.contains(head.peer) else { return head.peer }
        var last = head.peer
        for text in hops(head, field).reversed().prefix(longest) {
            guard let address = IPAddress(text) else { break }
            last = address.description
            if !proxies.contains(address) { break }
        }
        return last
    }

    /// Addresses in order, the client's own first.
    private static func hops(_ head: RequestHead, _ field: ForwardedField) -> [String] {
        let values = head.headers.filter { $0.name.lowercased() == field.rawValue }.map(\.value)
        switch field {
        case .xForwardedFor: return values.flatMap { $0.split(separator: ",").map { trimmed($0) } }
        case .forwarded: return values.flatMap { split($0[...], at: ",").map(target) }
        }
    }

    /// Splits outside quoted strings: a proxy quotes what its client wrote, such as the host.
    private static func split(_ text: Substring, at mark: Character) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == mark, !isQuoted {
                pieces.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return pieces + [text[start...]]
    }

    /// The `for` of one element (RFC 7239); empty where it has none.
    private static func target(_ element: Substring) -> String {
        for pair in split(element, at: ";") {
            let halves = pair.split(separator: "=", maxSplits: 1).map { trimmed($0) }
            guard halves.count == 2, halves[0].lowercased() == "for" else { continue }
            return halves[1].filter { $0 != "\"" }
        }
        return ""
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...end])
    }
}

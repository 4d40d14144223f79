// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Finds the address of the client behind trusted proxies.
enum ClientAddress {
    /// Entries of a header that are looked at, from the nearest on.
    private static let longest = 32

    /// The address that the nearest trusted proxies vouch for: from the right, the first one that is no proxy of ours.
    ///
    /// What stands left of it was written by whoever asked and counts for nothing, and so does all that stands left of an
    /// entry that cannot be read. Without trusted proxies, the peer.
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
        case .xForwardedFor: return values.flatMap { $0.split(separator: ",").map(trimmed) }
        case .forwarded: return values.flatMap(ForwardedReader.targets)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...end])
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The pieces of an absolute http or https URL, as written.
struct WebAddress: Equatable {
    /// Lower case.
    var scheme: String
    /// Lower case, with brackets around an IPv6 address.
    var host: String
    /// As written, else that of the scheme.
    var port: Int
    /// From the first slash to the query; `/` when there is none.
    var path: String
    /// Without the question mark; `nil` when there is none.
    var query: String?

    /// Reads a URL; `nil` for another scheme, credentials in it, no host, one in which brackets or colons stand where none
    /// belong, or a port that is none.
    init?(_ url: String) {
        guard LinkRules.isAbsolute(url), let authority = LinkRules.authority(of: url) else { return nil }
        let skipped = LinkRules.prefixLength(of: url) ?? 0
        scheme = skipped == 8 ? "https" : "http"
        port = skipped == 8 ? 443 : 80
        var name = authority.unicodeScalars[...]
        if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
            let digits = name[name.index(after: colon)...]
            guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(String(digits)),
                (1...65_535).contains(number)
            else { return nil }
            port = number
            name = name[..<colon]
        }
        guard Self.isPlain(name) else { return nil }
        host = String(name).lowercased()
        let rest = url.unicodeScalars.dropFirst(skipped + authority.unicodeScalars.count).prefix { $0 != "#" }
        let before = rest.prefix { $0 != "?" }
        path = before.isEmpty ? "/" : String(before)
        query = before.endIndex == rest.endIndex ? nil : String(rest[before.endIndex...].dropFirst())
    }

    /// False where two readers could take different parts for the host: brackets are around all of it, and only inside of
    /// them there are colons.
    private static func isPlain(_ name: Substring.UnicodeScalarView) -> Bool {
        let isBracketed = name.first == "[" && name.last == "]"
        let inner = isBracketed ? name.dropFirst().dropLast() : name
        return !inner.isEmpty && !inner.contains { $0 == "[" || $0 == "]" || $0 == ":" && !isBracketed }
    }

    /// Host as the Host header has it: the port only where it is not the scheme's own.
    var hostHeader: String { port == (scheme == "https" ? 443 : 80) ? host : host + ":" + String(port) }

    /// Pairs of the query, percent-decoded.
    var pairs: [(name: String, value: String)] {
        (query ?? "").unicodeScalars.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
            return (TextCoding.percentDecoded(halves[0]), halves.count > 1 ? TextCoding.percentDecoded(halves[1]) : "")
        }
    }

    /// True for addresses that are not out on the internet: loopback, private, link-local, unspecified, names that mean
    /// this machine, and hosts that are read as another one: with percent-encoding, or beyond ASCII, where full-width
    /// digits and dots are digits and dots.
    var isPrivate: Bool {
        if !self.host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) { return true }
        let host = self.host.hasSuffix(".") ? String(self.host.dropLast()) : self.host
        if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".internal") { return true }
        if host.hasPrefix("[") {
            let text = host.dropFirst()
            let starts = ["::", "fc", "fd", "fe8", "fe9", "fea", "feb", "ff", "64:ff9b:"]
            return starts.contains { text.hasPrefix($0) }
        }
        // Any other writing of an IPv4 address, such as 0x7f.1 or 2130706433, is refused with the private ones.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isNumeric = labels.allSatisfy { Int($0) != nil || $0.hasPrefix("0x") }
        guard isNumeric else { return false }
        let numbers = labels.compactMap { Int($0) }
        guard labels.count == 4, numbers.count == 4, !labels.contains(where: { $0.count > 1 && $0.hasPrefix("0") })
        else { return true }
        switch (numbers[0], numbers[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (100, 64...127), (172, 16...31), (224..., _):
            return true
        default: return false
        }
    }
}

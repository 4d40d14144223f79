// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address; one of IPv4 that is written as one of IPv6 (`::ffff:192.0.2.1`) is the same address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Reads an address, with or without brackets, a zone or a port behind brackets or a dotted address.
    ///
    /// - Returns: `nil` for anything else, names included.
    public init?(_ text: some StringProtocol) {
        var text = Substring(text)
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            text = text[..<end].dropFirst()
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            text = text[..<colon]
        }
        text = text.prefix { $0 != "%" }
        guard
            let groups = text.contains(":")
                ? Self.groups(text) : Self.dotted(text).map({ [0, 0, 0, 0, 0, 0xFFFF] + $0 })
        else { return nil }
        high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
        low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// True for an address of IPv4.
    public var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// What one customer has: the address itself with IPv4, the first 64 bits with IPv6.
    public var customer: IPAddress { isVersion4 ? self : IPAddress(high: high, low: 0) }

    /// The first bits alone, 0...128; with IPv4 the count includes the 96 bits before it.
    func prefix(_ bits: Int) -> IPAddress {
        func mask(_ count: Int) -> UInt64 { count <= 0 ? 0 : count >= 64 ? .max : ~(UInt64.max >> UInt64(count)) }
        return IPAddress(high: high & mask(bits), low: low & mask(bits - 64))
    }

    /// One spelling an address: dotted, or eight groups without leading zeros.
    public var description: String {
        if isVersion4 { return [24, 16, 8, 0].map { String(low >> UInt64($0) & 0xFF) }.joined(separator: ".") }
        let shifts: [UInt64] = [48, 32, 16, 0]
        let groups = shifts.map { high >> $0 & 0xFFFF } + shifts.map { low >> $0 & 0xFFFF }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Two groups of a dotted address.
    private static func dotted(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt16? in
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let value = UInt16(part), value < 256
            else { return nil }
            return value
        }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        return [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]]
    }

    /// Eight groups of an address with colons.
    private static func groups(_ text: Substring) -> [UInt16]? {
        guard let gap = text.firstRange(of: "::") else {
            guard let all = run(text), all.count == 8 else { return nil }
            return all
        }
        guard let before = run(text[..<gap.lowerBound]), let after = run(text[gap.upperBound...]),
            before.count + after.count < 8
        else { return nil }
        return before + [UInt16](repeating: 0, count: 8 - before.count - after.count) + after
    }

    /// Groups on one side of the gap; a dotted address may end them.
    private static func run(_ text: Substring) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.contains("."), index == parts.count - 1, let pair = dotted(part) {
                groups += pair
                continue
            }
            let isHex =
                (1...4).contains(part.utf8.count) && part.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2B && $0 != 0x2D }
            guard isHex, let value = UInt16(part, radix: 16) else { return nil }
            groups.append(value)
        }
        return groups.count <= 8 ? groups : nil
    }
}

/// Addresses and networks, such as `127.0.0.1` and `10.0.0.0/8`.
public struct AddressSet: Sendable, Equatable, ExpressibleByArrayLiteral {
    private struct Network: Sendable, Equatable {
        var address: IPAddress
        var bits: Int
    }

    private var networks: [Network] = []

    /// Holds nothing.
    public init() {}

    /// Holds what can be read; the rest is left out.
    public init(arrayLiteral elements: String...) { for element in elements { _ = insert(element) } }

    /// True when it holds nothing.
    public var isEmpty: Bool { networks.isEmpty }

    /// Adds an address or a network.
    ///
    /// - Returns: False when the text is neither.
    public mutating func insert(_ text: String) -> Bool {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count <= 2, let address = IPAddress(halves[0]) else { return false }
        let longest = address.isVersion4 && !halves[0].contains(":") ? 32 : 128
        var bits = longest
        if halves.count == 2 {
            guard let given = Int(halves[1]), (0...longest).contains(given) else { return false }
            bits = given
        }
        if longest == 32 { bits += 96 }
        networks.append(Network(address: address.prefix(bits), bits: bits))
        return true
    }

    /// True for an address in one of the networks.
    public func contains(_ address: IPAddress) -> Bool {
        networks.contains { address.prefix($0.bits) == $0.address }
    }

    /// True for the text of an address in one of the networks.
    public func contains(_ text: String) -> Bool { !isEmpty && IPAddress(text).map(contains) ?? false }
}

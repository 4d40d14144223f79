// SPDX-License-Identifier: Apache-2.0

/// Joins a colour profile that is spread over several JPEG segments (ICC.1 annex B.4).
struct ICCParts {
    private var parts: [Int: ByteWindow] = [:]
    private var count: Int?
    private var isBroken = false

    /// Most bytes of one part: a segment holds 65,533, of which name, number and count take 14.
    static let maxPart = 65_519

    mutating func add(_ part: (number: Int, count: Int, part: ByteWindow)) {
        if count == nil { count = part.count }
        guard part.count == count, part.number >= 1, part.number <= part.count, parts[part.number] == nil else {
            isBroken = true
            return
        }
        parts[part.number] = part.part
    }

    /// The whole profile; `nil` where there is none, or a part is missing, double or misnumbered.
    var joined: [UInt8]? {
        guard let count, count >= 1, !isBroken, parts.count == count else { return nil }
        return (1...count).reduce(into: []) { profile, number in
            if let part = parts[number] { profile += part.slice }
        }
    }

    /// The segments that hold a profile; empty where it is empty or needs more than 255 parts.
    static func segments(of profile: [UInt8]) -> [UInt8] {
        let count = (profile.count + maxPart - 1) / maxPart
        guard count >= 1, count <= 255 else { return [] }
        var result: [UInt8] = []
        for index in 0..<count {
            let part = profile[(index * maxPart)..<min(profile.count, (index + 1) * maxPart)]
            let length = part.count + 16
            result += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)]
            result += Array("ICC_PROFILE\u{0}".utf8)
            result += [UInt8(index + 1), UInt8(count)]
            result += part
        }
        return result
    }
}

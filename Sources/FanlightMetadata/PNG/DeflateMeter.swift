// SPDX-License-Identifier: Apache-2.0

/// Finds how many bytes a compressed stream stands for, and unpacks as many of them as are wanted.
///
/// Source: RFC 1950 and RFC 1951; checksums are not compared.
struct DeflateMeter {
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Encoders write a block for every few kilobytes; a code of its own for each few bytes only costs time.
    private static let mostBlocks = 4096
    private static let fixedCodes: (symbols: Code, distances: Code)? = {
        let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        guard let symbols = Code(lengths[...]), let distances = Code(Array(repeating: 5, count: 30)[...]) else {
            return nil
        }
        return (symbols, distances)
    }()

    private let bytes: ByteWindow
    private let limit: Int
    private var offset = 2
    private var buffer = 0
    private var bufferCount = 0
    private var size = 0
    /// The first unpacked bytes; all that are unpacked while there are fewer than wanted.
    private var kept: [UInt8] = []
    private let wanted: Int

    private init(bytes: ByteWindow, limit: Int, wanted: Int) {
        self.bytes = bytes
        self.limit = limit
        self.wanted = wanted
    }

    /// What became of a stream.
    struct Unpacked {
        /// Bytes that the stream stands for.
        var size: Int
        /// The first of them.
        var head: [UInt8]
        /// Bytes of the stream itself, with header and checksum.
        var packedSize: Int
    }

    /// The unpacked size of a zlib stream; `nil` where it is broken or stands for more than `limit` bytes.
    ///
    /// - Complexity: Time grows with `limit` at most; next to no memory.
    static func size(ofZlib bytes: ByteWindow, limit: Int) -> Int? {
        unpack(zlib: bytes, limit: limit, wanted: 0)?.size
    }

    /// Unpacks the first bytes of a zlib stream; `nil` where it is broken or stands for more than `limit` bytes.
    ///
    /// - Complexity: Time grows with `limit` at most, memory with `wanted`.
    static func unpack(zlib bytes: ByteWindow, limit: Int, wanted: Int) -> Unpacked? {
        guard let method = bytes.uint8(0), let flags = bytes.uint8(1), method & 0x0F == 8,
            (method << 8 | flags) % 31 == 0, flags & 0x20 == 0
        else { return nil }
        var meter = DeflateMeter(bytes: bytes, limit: limit, wanted: wanted)
        for _ in 0..<mostBlocks {
            guard let isLast = meter.bits(1), let kind = meter.bits(2), meter.block(kind), meter.size <= limit else {
                return nil
            }
            if isLast == 1 {
                // Whole bytes that were read ahead are given back; four bytes of checksum follow.
                let end = meter.offset - meter.bufferCount / 8 + 4
                return Unpacked(size: meter.size, head: meter.kept, packedSize: min(end, bytes.count))
            }
        }
        return nil
    }

    private mutating func bits(_ count: Int) -> Int? {
        while bufferCount < count {
            guard let byte = bytes.uint8(offset) else { return nil }
            offset += 1
            buffer |= byte << bufferCount
            bufferCount += 8
        }
        let value = buffer & (1 << count - 1)
        buffer >>= count
        bufferCount -= count
        return value
    }

    /// Measures one block; false where it is broken or too long.
    private mutating func block(_ kind: Int) -> Bool {
        switch kind {
        case 0: return stored()
        case 1:
            guard let (symbols, distances) = Self.fixedCodes else { return false }
            return compressed(symbols, distances)
        case 2:
            guard let (symbols, distances) = codes() else { return false }
            return compressed(symbols, distances)
        default: return false
        }
    }

    private mutating func stored() -> Bool {
        buffer = 0
        bufferCount = 0
        guard let count = bits(16), let inverted = bits(16), count ^ inverted == 0xFFFF, offset + count <= bytes.count
        else { return false }
        if kept.count < wanted, let data = bytes.window(at: offset, count: min(count, wanted - kept.count)) {
            kept += data.slice
        }
        offset += count
        size += count
        return true
    }

    private mutating func compressed(_ symbols: Code, _ distances: Code) -> Bool {
        while size <= limit {
            guard let symbol = next(symbols) else { return false }
            if symbol == 256 { return true }
            if symbol < 256 {
                size += 1
                if kept.count < wanted { kept.append(UInt8(symbol)) }
                continue
            }
            guard symbol - 257 < Self.lengthBases.count, let extra = bits(Self.lengthBits[symbol - 257]),
                let code = next(distances), code < 30, let more = bits(max(0, code / 2 - 1))
            else { return false }
            let distance = (code < 4 ? code : (2 + code % 2) << (code / 2 - 1)) + 1 + more
            guard distance <= size else { return false }
            copy(Self.lengthBases[symbol - 257] + extra, from: size - distance)
        }
        return false
    }

    /// Repeats bytes that were unpacked before; those that are wanted lie in the part that is kept.
    private mutating func copy(_ count: Int, from start: Int) {
        size += count
        for index in start..<(start + count) where kept.count < wanted { kept.append(kept[index]) }
    }

    /// The two codes of a block that brings its own.
    private mutating func codes() -> (symbols: Code, distances: Code)? {
        guard let symbolCount = bits(5).map({ $0 + 257 }), let distanceCount = bits(5).map({ $0 + 1 }),
            let codeCount = bits(4).map({ $0 + 4 })
        else { return nil }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<codeCount {
            guard let length = bits(3) else { return nil }
            lengths[Self.codeOrder[index]] = length
        }
        guard let code = Code(lengths[...]) else { return nil }
        lengths = []
        while lengths.count < symbolCount + distanceCount {
            guard let symbol = next(code) else { return nil }
            if symbol < 16 {
                lengths.append(symbol)
                continue
            }
            guard symbol > 16 || !lengths.isEmpty, let extra = bits(symbol == 16 ? 2 : symbol == 17 ? 3 : 7) else {
                return nil
            }
            let value = symbol == 16 ? lengths[lengths.count - 1] : 0
            lengths += Array(repeating: value, count: (symbol == 18 ? 11 : 3) + extra)
        }
        guard lengths.count == symbolCount + distanceCount, let symbols = Code(lengths[..<symbolCount]),
            let distances = Code(lengths[symbolCount...])
        else { return nil }
        return (symbols, distances)
    }

    private mutating func next(_ code: Code) -> Int? {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            guard let bit = bits(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    /// A Huffman code in canonical order.
    private struct Code {
        /// Symbols of each length.
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int]

        /// Reads the lengths of all symbols; `nil` where more codes are named than there are.
        init?(_ lengths: ArraySlice<Int>) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var free = 1
            for length in 1...15 {
                free = free << 1 - counts[length]
                if free < 0 { return nil }
            }
            var places = [Int](repeating: 0, count: 16)
            for length in 1..<15 { places[length + 1] = places[length] + counts[length] }
            symbols = [Int](repeating: 0, count: places[15] + counts[15])
            for (symbol, length) in lengths.enumerated() where length > 0 {
                symbols[places[length]] = symbol
                places[length] += 1
            }
        }
    }
}

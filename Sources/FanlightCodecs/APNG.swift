// SPDX-License-Identifier: Apache-2.0

import CImaging

/// The parts of an animated PNG (PNG, third edition, 11.3.6): libvips shows its first picture only.
struct APNG {
    /// One frame: where it is drawn and how, and its pixels as a PNG of their own.
    struct Frame {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
        /// Milliseconds.
        var delay: Int
        /// 0: stays, 1: cleared after its time, 2: what was there before comes back.
        var disposal: UInt8
        /// Drawn over what is there; else in place of it.
        var isOver: Bool
        /// Deflated samples.
        var data: [ArraySlice<UInt8>] = []
    }

    private(set) var width = 0
    private(set) var height = 0
    /// How often it is played; 0 = for ever.
    private(set) var plays = 0
    private(set) var frames: [Frame] = []
    /// Bytes of the header behind its size.
    private var depth: ArraySlice<UInt8> = []
    /// Whole chunks that every frame needs: palette, transparency, colours.
    private var shared: [ArraySlice<UInt8>] = []

    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let sharedNames: Set = ["PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT"]

    /// Reads the chunks.
    init(_ bytes: [UInt8]) throws(CodecError) {
        guard bytes.starts(with: Self.signature) else { throw .corrupt("no PNG") }
        var at = 8
        while at + 12 <= bytes.count {
            let length = Self.number(bytes[at..<(at + 4)])
            guard length <= bytes.count - at - 12 else { throw .truncated }
            let data = bytes[(at + 8)..<(at + 8 + length)]
            try take(String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self), data, bytes[at..<(at + 12 + length)])
            at += 12 + length
        }
        frames.removeAll { $0.data.isEmpty }
        guard width > 0, height > 0, !frames.isEmpty else { throw .corrupt("no frames") }
    }

    private mutating func take(_ name: String, _ data: ArraySlice<UInt8>, _ whole: ArraySlice<UInt8>) throws(CodecError)
    {
        switch name {
        case "IHDR" where data.count == 13:
            width = Self.number(data.prefix(4))
            height = Self.number(data.dropFirst(4).prefix(4))
            depth = data.dropFirst(8)
        case "acTL" where data.count == 8: plays = Self.number(data.dropFirst(4))
        case "fcTL": frames.append(try frame(data))
        // A picture before the first control is not part of the animation.
        case "IDAT": if frames.count == 1 { frames[0].data.append(data) }
        case "fdAT" where data.count > 4 && !frames.isEmpty: frames[frames.count - 1].data.append(data.dropFirst(4))
        case _ where Self.sharedNames.contains(name): shared.append(whole)
        default: break
        }
    }

    private func frame(_ data: ArraySlice<UInt8>) throws(CodecError) -> Frame {
        guard data.count == 26 else { throw .corrupt("bad frame control") }
        func number(_ place: Int, _ count: Int) -> Int { Self.number(data.dropFirst(place).prefix(count)) }
        let (time, unit) = (number(20, 2), number(22, 2))
        let frame = Frame(
            x: number(12, 4),
            y: number(16, 4),
            width: number(4, 4),
            height: number(8, 4),
            delay: time * 1000 / (unit == 0 ? 100 : unit),
            disposal: UInt8(number(24, 1)),
            isOver: number(25, 1) == 1
        )
        guard frame.width > 0, frame.height > 0, frame.x + frame.width <= width, frame.y + frame.height <= height else {
            throw .corrupt("a frame beyond the picture")
        }
        return frame
    }

    /// The frame as a picture of its own.
    func still(_ frame: Frame) -> [UInt8] {
        let header = Self.bytes(frame.width) + Self.bytes(frame.height) + depth
        return Self.signature + Self.chunk("IHDR", header) + shared.joined()
            + Self.chunk("IDAT", Array(frame.data.joined())) + Self.chunk("IEND", [])
    }

    /// A chunk with its length and checksum (C: fl_crc32).
    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        // SAFETY: pointer and count describe the same bytes, never none.
        let sum = unsafe body.withUnsafeBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe fl_crc32($0, buffer.count) } ?? 0
        }
        return bytes(data.count) + body + bytes(Int(sum))
    }

    static func bytes(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

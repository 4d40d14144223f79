// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies a GIF's frames with their controls and the loop count.
enum GIFStripper {
    static func strip(_ bytes: ByteWindow, adding insertion: MetadataInsertion = .none) throws(ImageError) -> [UInt8] {
        var cursor = try GIFCursor(bytes)
        var result = Array(cursor.header.slice)
        if !insertion.xmp.isEmpty {
            // Only this version of the format has extensions.
            result.replaceSubrange(0..<6, with: Array("GIF89a".utf8))
        }
        result.reserveCapacity(bytes.count)
        // A control belongs to the next block that draws; that of a dropped text must not reach a frame.
        var control: ByteWindow?
        while let block = try cursor.next() {
            switch block {
            case .frame(_, _, let whole):
                if let control { result += control.slice }
                control = nil
                result += whole.slice
            case .extension(0xF9, let whole): control = whole.uint8(2) == 4 ? head(of: whole) : nil
            case .extension(0x01, _): control = nil
            case .extension(0xFF, let whole): result += loop(whole)
            case .extension: continue
            }
        }
        if !insertion.xmp.isEmpty { result += packet(insertion.xmp) }
        result.append(0x3B)
        return result
    }

    /// An application extension with an XMP packet.
    ///
    /// The packet is not divided into blocks; the 258 bytes behind it lead every reader of blocks to the terminator.
    /// Source: XMP part 3, section 1.1.2.
    private static func packet(_ xmp: [UInt8]) -> [UInt8] {
        let trailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]
        return [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + xmp + trailer
    }

    /// The loop count of an application extension, written anew; nothing for others.
    private static func loop(_ whole: ByteWindow) -> [UInt8] {
        guard whole.has("NETSCAPE2.0", at: 3) || whole.has("ANIMEXTS1.0", at: 3), whole.uint8(2) == 11,
            whole.uint8(14) == 3, whole.uint8(15) == 1, let head = whole.window(at: 0, count: 18)
        else { return [] }
        return Array(head.slice) + [0]
    }

    /// A graphic control: introducer, label and its one block; the terminator is written behind it.
    private static func head(of whole: ByteWindow) -> ByteWindow? {
        whole.byte(7) == 0 ? whole.window(at: 0, count: 8) : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a GIF's screen size, frames and transparency, and finds its XMP packet.
enum GIFReader {
    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        var cursor = try GIFCursor(bytes)
        try limits.check(width: cursor.width, height: cursor.height)
        var facts = ContainerFacts(width: cursor.width, height: cursor.height, frames: 0)
        while let block = try cursor.next() {
            switch block {
            case .frame(let width, let height, _):
                try limits.check(width: width, height: height)
                facts.frames += 1
                try limits.check(frames: facts.frames, width: facts.width, height: facts.height)
            case .extension(0xF9, let whole):
                if let flags = whole.uint8(3), flags & 1 == 1 { facts.hasAlpha = true }
            case .extension(0xFF, let whole):
                if facts.metadata.xmp == nil, whole.has("XMP DataXMP", at: 3) {
                    facts.metadata.xmp = whole.window(from: 14)
                }
            case .extension: continue
            }
        }
        guard facts.frames > 0 else { throw .corrupt("no picture data") }
        return facts
    }
}

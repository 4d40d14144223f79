// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Samples of planes that are done with, kept for the next picture.
///
/// Given back to the C library, aligned memory comes again in other pieces than before, and a process that makes one picture
/// after another of the same shape grows to twice what one of them needs.
enum PlaneMemory {
    /// Memory for one plane.
    ///
    /// Unchecked: whoever holds it is alone with it.
    @safe
    final class Block: @unchecked Sendable {
        // SAFETY: allocated for size bytes, freed once in deinit.
        let start: UnsafeMutableRawPointer
        let size: Int

        init(size: Int) {
            self.size = size
            unsafe start = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: Plane.alignment)
        }

        deinit {
            // SAFETY: nobody else holds the memory.
            unsafe start.deallocate()
        }
    }

    private static let kept = Mutex<[Block]>([])
    /// Bytes: the planes of a photograph of 24 megapixels, with those made of it.
    private static let mostKept = 64_000_000

    /// At least so many bytes, and not many more, of any content.
    static func take(_ size: Int) -> Block {
        let found = kept.withLock { blocks in
            blocks.firstIndex { $0.size >= size && $0.size / 5 * 4 <= size }.map { blocks.remove(at: $0) }
        }
        return found ?? Block(size: size)
    }

    /// Takes a block back; the oldest go when there are too many.
    static func giveBack(_ block: Block) {
        kept.withLock { blocks in
            blocks.append(block)
            var total = blocks.reduce(0) { $0 + $1.size }
            while total > mostKept, let oldest = blocks.first {
                total -= oldest.size
                blocks.removeFirst()
            }
        }
    }

    /// Keeps nothing any longer.
    static func discard() {
        kept.withLock { $0 = [] }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes that came and are not used up.
struct ByteWindow: Sendable {
    /// All that is held; those before `start` are used up.
    var bytes: [UInt8] = []
    /// The first byte that is not used up.
    private(set) var start = 0
    /// No line feed stands between `start` and this place that has not been judged.
    var scanned = 0
    /// Bytes of the body before the first one held.
    private var dropped = 0

    /// Bytes from the start of the body to that place.
    func offset(of index: Int) -> Int { dropped + index }

    /// Uses up everything before that place.
    mutating func drop(to index: Int) {
        start = index
        scanned = max(scanned, index)
    }

    /// Counts bytes that never came into the window, which must be used up.
    mutating func skip(_ count: Int) {
        compact()
        dropped += count
    }

    /// Returns and uses up everything before that place; `nil` when that is nothing.
    mutating func take(to index: Int) -> [UInt8]? {
        guard index > start else { return nil }
        let isWhole = start == 0 && index == bytes.count
        let taken = isWhole ? bytes : Array(bytes[start..<index])
        drop(to: index)
        return taken
    }

    /// Finds the first line feed that was not judged yet (C: memchr); `scanned` moves up to it.
    mutating func nextLineFeed() -> Int? {
        let from = scanned
        let found = unsafe bytes.withUnsafeBytes { buffer -> Int? in
            // SAFETY: `from` is at most the count, and the search is bounded by what is left.
            guard from < buffer.count, let base = buffer.baseAddress,
                let hit = unsafe memchr(base + from, 0x0A, buffer.count - from)
            else { return nil }
            return unsafe UnsafeRawPointer(hit) - base
        }
        scanned = found ?? bytes.count
        return found
    }

    /// Finds the first line feed, not judged yet, that a dash or the end of the window follows.
    mutating func nextDelimiterPlace() -> Int? {
        while let lineFeed = nextLineFeed() {
            let next = lineFeed + 1
            if next == bytes.count || bytes[next] == UInt8(ascii: "-") { return lineFeed }
            scanned = bytes[next...].firstIndex { $0 != 0x0A }.map { $0 - 1 } ?? bytes.count - 1
            if scanned <= lineFeed { scanned = next }
        }
        return nil
    }

    /// Gives up the memory of used bytes.
    mutating func compact() {
        guard start > 0 else { return }
        bytes.removeFirst(start)
        dropped += start
        scanned -= start
        start = 0
    }
}

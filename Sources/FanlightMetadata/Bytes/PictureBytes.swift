// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes of a picture: an array, or a file of which the system brings in only the pages that are looked at.
public struct PictureBytes: Sendable {
    private let array: [UInt8]
    private let mapping: FileMapping?

    /// Number of bytes.
    public let count: Int

    /// Bytes in memory.
    public init(_ bytes: [UInt8]) {
        array = bytes
        mapping = nil
        count = bytes.count
    }

    /// A file that nobody makes shorter while this value lives (C: mmap); `nil` when the system refuses.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading; it may be closed afterwards.
    ///   - size: Bytes of the file.
    public init?(mapping descriptor: Int32, size: Int) {
        // The system maps no empty file.
        mapping = size == 0 ? nil : FileMapping(descriptor, size: size)
        guard size == 0 || mapping != nil else { return nil }
        array = []
        count = size
    }

    /// The byte at a place inside.
    subscript(index: Int) -> UInt8 {
        guard let mapping else { return array[index] }
        precondition(index >= 0 && index < count)
        // SAFETY: inside the mapping, which lives as long as this value.
        return unsafe mapping.bytes[index]
    }

    /// The bytes of a part; of an array a view, of a file a copy.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> {
        guard let mapping else { return array[range] }
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // SAFETY: inside the mapping; copied before the call returns.
        return unsafe ArraySlice(mapping.bytes[range])
    }

    /// The first place of a byte within a part (C: memchr).
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        // SAFETY: the closure keeps nothing of the buffer.
        unsafe withBytes { buffer in
            guard range.lowerBound >= 0, range.upperBound <= buffer.count, let base = buffer.baseAddress else {
                return nil
            }
            // SAFETY: the part lies inside the buffer; the pointer is not kept.
            let start = unsafe base + range.lowerBound
            guard let found = unsafe memchr(start, Int32(byte), range.count) else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    /// The first JPEG marker within a part that is neither a stuffed zero, nor a restart, nor fill (T.81 B.1.1.2).
    ///
    /// One loop over raw memory: a photograph has a mark every few hundred bytes, and a call for each costs more than
    /// the search.
    func firstMarker(in range: Range<Int>) -> Int? {
        // SAFETY: the closure keeps nothing of the buffer; every access lies inside the part, which lies inside the buffer.
        unsafe withBytes { buffer in
            guard range.lowerBound >= 0, range.upperBound <= buffer.count, let base = buffer.baseAddress else {
                return nil
            }
            var position = range.lowerBound
            let last = range.upperBound - 1
            while position < last, let found = unsafe memchr(base + position, 0xFF, last - position) {
                position = unsafe UnsafeRawPointer(found) - base
                switch unsafe buffer[position + 1] {
                case 0x00, 0xD0...0xD7: position += 2
                case 0xFF: position += 1
                default: return position
                }
            }
            return nil
        }
    }

    /// Lends all bytes without a copy.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // SAFETY: array and mapping live through the call.
        if let mapping { return unsafe body(mapping.bytes) }
        return unsafe array.withUnsafeBytes { unsafe body($0) }
    }
}

/// A file's pages in memory, until the last user lets go.
@safe
private final class FileMapping: Sendable {
    // SAFETY: read-only memory that stays until `deinit`.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    init?(_ descriptor: Int32, size: Int) {
        guard size > 0 else { return nil }
        let address = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let address = unsafe address, unsafe address != UnsafeMutableRawPointer(bitPattern: -1) else {
            return nil
        }
        unsafe bytes = UnsafeRawBufferPointer(start: address, count: size)
    }

    deinit {
        // SAFETY: mapped by this object, with this size.
        unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }
}

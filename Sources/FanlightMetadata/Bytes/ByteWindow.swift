// SPDX-License-Identifier: Apache-2.0

/// A bounds-checked view of a part of a picture's bytes.
///
/// Every access outside the window is `nil`; no length found in a file is believed before it is compared with
/// what is left. Windows share the storage, so cutting one out copies nothing.
struct ByteWindow: Sendable {
    private let storage: PictureBytes
    private let start: Int
    /// Bytes in the window.
    let count: Int

    init(_ bytes: PictureBytes) {
        storage = bytes
        start = 0
        count = bytes.count
    }

    init(_ bytes: [UInt8]) { self.init(PictureBytes(bytes)) }

    private init(storage: PictureBytes, start: Int, count: Int) {
        self.storage = storage
        self.start = start
        self.count = count
    }

    /// The window's bytes: a view of an array, a copy of a part of a file.
    var slice: ArraySlice<UInt8> { storage[place] }

    /// At most so many bytes from the start: what is behind them is neither read nor copied.
    func head(_ length: Int) -> ArraySlice<UInt8> { storage[start..<(start + min(max(0, length), count))] }

    /// Lends the window's bytes without a copy.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe storage.withBytes { all in
            // SAFETY: a window lies inside its storage; the buffer lives through the call.
            unsafe body(UnsafeRawBufferPointer(rebasing: all[place]))
        }
    }

    /// Where the window lies in the whole picture.
    var place: Range<Int> { start..<(start + count) }

    func byte(_ offset: Int) -> UInt8? {
        offset >= 0 && offset < count ? storage[start + offset] : nil
    }

    func uint8(_ offset: Int) -> Int? { byte(offset).map(Int.init) }

    func uint16(_ offset: Int, little: Bool = false) -> Int? { integer(offset, width: 2, little: little) }

    func uint24(_ offset: Int, little: Bool = false) -> Int? { integer(offset, width: 3, little: little) }

    func uint32(_ offset: Int, little: Bool = false) -> Int? { integer(offset, width: 4, little: little) }

    /// Eight bytes, most significant first; `nil` also where the value does not fit an `Int`.
    func uint64(_ offset: Int) -> Int? {
        guard let high = uint32(offset), let low = uint32(offset + 4), high < 0x8000_0000 else { return nil }
        return high << 32 | low
    }

    /// An unsigned integer of 0 to 7 bytes.
    func integer(_ offset: Int, width: Int, little: Bool = false) -> Int? {
        guard offset >= 0, width >= 0, width < 8, offset <= count - width else { return nil }
        var value = 0
        for index in 0..<width {
            let position = little ? width - 1 - index : index
            value = value << 8 | Int(storage[start + offset + position])
        }
        return value
    }

    /// The part that starts at an offset and has the given length; `nil` unless it lies inside wholly.
    func window(at offset: Int, count length: Int) -> ByteWindow? {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else { return nil }
        return ByteWindow(storage: storage, start: start + offset, count: length)
    }

    /// The part from an offset to the end.
    func window(from offset: Int) -> ByteWindow? {
        window(at: offset, count: count - offset)
    }

    /// True where the ASCII text stands at the offset.
    func has(_ text: String, at offset: Int = 0) -> Bool {
        var position = offset
        for character in text.utf8 {
            guard byte(position) == character else { return false }
            position += 1
        }
        return true
    }

    /// True where the bytes stand at the offset.
    func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
        guard let part = window(at: offset, count: bytes.count) else { return false }
        return part.slice.elementsEqual(bytes)
    }

    /// The first place of a byte, at or after an offset.
    func firstOffset(of byte: UInt8, from offset: Int) -> Int? {
        guard offset >= 0, offset < count else { return nil }
        return storage.firstIndex(of: byte, in: (start + offset)..<(start + count)).map { $0 - start }
    }

    /// The first JPEG marker at or after an offset that is neither a stuffed zero, nor a restart, nor fill.
    func firstMarker(from offset: Int) -> Int? {
        guard offset >= 0, offset < count else { return nil }
        return storage.firstMarker(in: (start + offset)..<(start + count)).map { $0 - start }
    }

    /// True where the ASCII text stands anywhere in the window.
    func contains(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first else { return true }
        var position = 0
        while let found = firstOffset(of: first, from: position) {
            if has(bytes, at: found) { return true }
            position = found + 1
        }
        return false
    }

    /// Four bytes as text, for chunk and box names; `nil` where a byte is no printable ASCII.
    func name(at offset: Int) -> String? {
        guard let part = window(at: offset, count: 4), part.slice.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return nil
        }
        return String(decoding: part.slice, as: UTF8.self)
    }
}

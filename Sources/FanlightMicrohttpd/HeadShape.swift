// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import FanlightCore
import Glibc

/// Compares the fields that the library found with the bytes that came.
///
/// The library reads heads leniently: it puts the text of a folded line behind the *name* of the field before it, ends a
/// value at a zero byte, and the whole head at a line that begins with one. A proxy in front may read the same bytes as
/// a head with a body, or with another one. Fields of such heads do not lie behind one another as they came.
@safe
struct HeadShape {
    /// Letters of `HTTP/1.1`.
    private static let versionSize = 8
    /// True for the generations of the library that parse in place as this type expects.
    ///
    /// Later ones are strict themselves.
    private static let isReadInPlace: Bool = {
        // SAFETY: a constant of the library.
        guard let version = unsafe MHD_get_version() else { return true }
        return unsafe String(cString: version).hasPrefix("0.")
    }()

    // SAFETY: the library's memory, used while its callback runs.
    private let head: UnsafeRawBufferPointer
    private let size: Int
    /// Where the text of the last line ends.
    private var end: Int
    private let isPersistent: Bool
    private var isSound = true

    /// Creates a check for the head whose request line begins with `method` and ends with `version`.
    init(_ connection: OpaquePointer, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?) {
        let start = unsafe UnsafeRawPointer(method)
        // SAFETY: the library parses in place and tells the bytes from the method to the end of the head.
        unsafe head = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : fl_head_size(connection))
        size = unsafe head.count
        end = Int(bitPattern: version) - Int(bitPattern: start) + Self.versionSize
        // SAFETY: the library takes no request line without the eight letters of a version.
        isPersistent = unsafe version.map { unsafe $0[7] != CChar(UInt8(ascii: "0")) } ?? false
    }

    /// Takes the next field.
    mutating func take(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        isSound = unsafe isSound && Self.isToken(name) && !value.contains(where: Self.isControl)
        guard Self.isReadInPlace else { return }
        let length = value.count
        let start = unsafe offset(name)
        let text = unsafe offset(value)
        let colon = start + name.count
        guard isZero(end, start, 1...2), colon < text, text <= size - length,
            unsafe head[(colon + 1)..<text].allSatisfy({ $0 == 0x20 || $0 == 0x09 })
        else {
            isSound = false
            return
        }
        end = text + length
    }

    /// True when the fields are the head, byte by byte, and a proxy cannot have read it in another way.
    func isClear(_ fields: [HTTPField]) -> Bool {
        func count(_ name: String) -> Int { fields.count { $0.name.lowercased() == name } }
        guard isSound, !Self.isReadInPlace || isZero(end, size, 2...4) else { return false }
        return isPersistent ? count("host") == 1 : count("host") <= 1 && count("transfer-encoding") == 0
    }

    private func offset(_ piece: UnsafeRawBufferPointer) -> Int {
        unsafe Int(bitPattern: piece.baseAddress) - Int(bitPattern: head.baseAddress)
    }

    /// True for the zeros that the library writes over the ends of lines.
    private func isZero(_ from: Int, _ to: Int, _ sizes: ClosedRange<Int>) -> Bool {
        guard from >= 0, to <= size, sizes.contains(to - from) else { return false }
        return unsafe head[from..<to].allSatisfy { $0 == 0 }
    }

    /// Not in a value, RFC 9110, 5.5.
    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ name: UnsafeRawBufferPointer) -> Bool {
        let others = Array("!#$%&'*+-.^_`|~".utf8)
        return unsafe !name.isEmpty
            && name.allSatisfy { byte in
                let letter = byte | 0x20
                return (0x61...0x7a).contains(letter) && byte >= 0x41 || (0x30...0x39).contains(byte)
                    || others.contains(byte)
            }
    }
}

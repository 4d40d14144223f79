// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import FanlightCore
import Glibc

/// Reads a request head out of the library's structures (C: MHD_get_connection_values_n).
enum HeadReader {
    /// How the body is delimited.
    enum Framing { case none, length(Int), chunked, unclear }

    /// A head, and what the server itself needs to know of it.
    struct Result {
        var head: RequestHead
        var framing: Framing
        /// True when somebody else may read the head in another way.
        var isOdd: Bool
        var bytes: Int
    }

    private final class Fields {
        var list: [HTTPField] = []
        var bytes = 0
        var shape: HeadShape?

        init(_ shape: HeadShape? = nil) { self.shape = shape }
    }

    /// Reads the head of the connection's current request.
    static func read(
        _ connection: OpaquePointer,
        method: UnsafePointer<CChar>?,
        path: UnsafePointer<CChar>?,
        version: UnsafePointer<CChar>?
    ) -> Result {
        let headers = unsafe Fields(HeadShape(connection, method: method, version: version))
        unsafe collect(.HEADER_KIND, of: connection, into: headers)
        let query = Fields()
        unsafe collect(.GET_ARGUMENT_KIND, of: connection, into: query)
        let framing = framing(of: headers.list)
        var length: Int?
        if case .length(let value) = framing { length = value }
        let head = unsafe RequestHead(
            method: text(method),
            path: pathOnly(text(path)),
            query: query.list,
            headers: headers.list.map { HTTPField($0.name, trimmed($0.value)) },
            contentLength: length,
            peer: peer(of: connection)
        )
        return Result(
            head: head,
            framing: framing,
            isOdd: headers.shape?.isClear(headers.list) != true,
            bytes: headers.bytes + query.bytes + head.path.utf8.count
        )
    }

    /// A value without the blanks behind it, which are no part of it (RFC 9110, 5.5).
    ///
    /// Not for the framing of the body: there the library's own reading counts, and it keeps them.
    private static func trimmed(_ value: String) -> String {
        guard let last = value.utf8.last, last == 0x20 || last == 0x09 else { return value }
        let end = value.utf8.lastIndex { $0 != 0x20 && $0 != 0x09 }
        return end.map { String(value[...$0]) } ?? ""
    }

    /// The path of a target that names the host too, as clients of a proxy write it (RFC 9112, 3.2.2).
    private static func pathOnly(_ target: String) -> String {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return target }
        let rest = target[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// Two declarations of the length are how requests are smuggled past a proxy, so they are refused.
    private static func framing(of headers: [HTTPField]) -> Framing {
        func values(_ name: String) -> [String] { headers.filter { $0.name.lowercased() == name }.map(\.value) }
        let lengths = values("content-length")
        let codings = values("transfer-encoding")
        if codings.isEmpty {
            guard let first = lengths.first else { return .none }
            let isDigits = !first.isEmpty && first.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard lengths.count == 1, isDigits, let length = Int(first) else { return .unclear }
            return length == 0 ? .none : .length(length)
        }
        return codings.count == 1 && lengths.isEmpty && codings[0].lowercased() == "chunked" ? .chunked : .unclear
    }

    private static func collect(_ kind: MHD_ValueKind, of connection: OpaquePointer, into fields: Fields) {
        // SAFETY: `fields` outlives the call, the only time that the library uses the pointer.
        unsafe MHD_get_connection_values_n(
            connection,
            kind,
            { context, _, name, nameSize, value, valueSize in
                guard let context = unsafe context else { return .NO }
                let fields = unsafe Unmanaged<Fields>.fromOpaque(context).takeUnretainedValue()
                let field = unsafe HTTPField(HeadReader.text(name, nameSize), HeadReader.text(value, valueSize))
                fields.list.append(field)
                fields.bytes += nameSize + valueSize
                // SAFETY: the library lends both for the length of this callback.
                unsafe fields.shape?.take(
                    name: UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameSize),
                    value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize)
                )
                return .YES
            },
            Unmanaged.passUnretained(fields).toOpaque()
        )
    }

    /// Copies text; bytes that are not UTF-8 become the replacement character.
    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        // SAFETY: the library lends `count` bytes for the length of its callback.
        unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }

    private static func text(_ start: UnsafePointer<CChar>?) -> String {
        guard let start = unsafe start else { return "" }
        // SAFETY: the library's C string, alive during its callback.
        return unsafe String(cString: start)
    }

    /// The address of the other side; empty when it has none.
    static func peer(of connection: OpaquePointer) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress, unsafe fl_connection_peer(connection, base, buffer.count) != 0
            else { return "" }
            // SAFETY: inet_ntop ended the text with a zero.
            return unsafe String(cString: base)
        }
    }
}

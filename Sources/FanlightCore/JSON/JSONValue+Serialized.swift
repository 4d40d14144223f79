// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The value as JSON text, members in order, numbers with their own characters.
    ///
    /// `<` and control characters are escaped, so that neither HTML nor a log line can take them for its own.
    ///
    /// - Parameter pretty: Two blanks a level and one member a line; otherwise without any blank.
    /// - Returns: Text without a final newline.
    public func serialized(pretty: Bool = false) -> String {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self, level: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Collects the text of a value.
private struct JSONWriter {
    let pretty: Bool
    var bytes: [UInt8] = []

    init(pretty: Bool) { self.pretty = pretty }

    mutating func write(_ value: JSONValue, level: Int) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .string(let text): quote(text)
        case .array(let items):
            list(items, from: "[", to: "]", level: level) { writer, item in writer.write(item, level: level + 1) }
        case .object(let members):
            list(members, from: "{", to: "}", level: level) { writer, member in
                writer.quote(member.name)
                writer.bytes += (writer.pretty ? ": " : ":").utf8
                writer.write(member.value, level: level + 1)
            }
        }
    }

    private mutating func list<Item>(
        _ items: [Item],
        from opening: String,
        to closing: String,
        level: Int,
        write: (inout JSONWriter, Item) -> Void
    ) {
        bytes += opening.utf8
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            newline(level: level + 1)
            write(&self, item)
        }
        if !items.isEmpty { newline(level: level) }
        bytes += closing.utf8
    }

    private mutating func newline(level: Int) {
        guard pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level * 2))
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0..<0x20, 0x7F, UInt8(ascii: "<"):
                let digits = String(byte, radix: 16)
                bytes += "\\u00".utf8
                if digits.utf8.count == 1 { bytes.append(UInt8(ascii: "0")) }
                bytes += digits.utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

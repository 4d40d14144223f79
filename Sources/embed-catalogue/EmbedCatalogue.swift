// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes a Swift file that holds text files, as a part of the build.
///
/// Its arguments are the file to be written and the files to be embedded.
///
/// Texts become raw string literals, which compile in no time; arrays of bytes of that size take minutes.
@main
struct EmbedCatalogue {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let output = arguments.first else { return fail("usage: embed-catalogue OUTPUT FILE…") }
        var text = """
            // Made by embed-catalogue from the folder Catalogue.

            /// The files of the folder Catalogue, by name without the extension.
            enum EmbeddedCatalogue {
                static let files: [(name: String, text: StaticString)] = [

            """
        for path in arguments.dropFirst() {
            guard let content = read(path) else { return fail("\(path) cannot be read as UTF-8") }
            let name = path.split(separator: "/").last.map { $0.prefix { $0 != "." } } ?? ""
            text += "(\"\(name)\", \(literal(content))),\n"
        }
        text += "    ]\n}\n"
        if !write(text, to: output) { fail("\(output) cannot be written") }
    }

    /// A raw literal of several lines, with one more `#` than any run of them in the text.
    private static func literal(_ text: String) -> String {
        var longest = 0
        var run = 0
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "#") ? run + 1 : 0
            longest = max(longest, run)
        }
        let marks = String(repeating: "#", count: longest + 1)
        return "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)"
    }

    private static func read(_ path: String) -> String? {
        // SAFETY: the stream is opened, used and closed here alone; the buffer outlives each call.
        guard let stream = unsafe fopen(path, "r") else { return nil }
        defer { unsafe fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, stream)
            bytes += buffer.prefix(count)
            if count < buffer.count { break }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        // SAFETY: as above.
        guard let stream = unsafe fopen(path, "w") else { return false }
        let bytes = Array(text.utf8)
        let isWritten = unsafe fwrite(bytes, 1, bytes.count, stream) == bytes.count
        return unsafe fclose(stream) == 0 && isWritten
    }

    private static func fail(_ message: String) {
        print("embed-catalogue: error: \(message)")
        exit(1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Takes a reply as curl hands it over: header lines, then body bytes, both bounded.
///
/// Only the final reply counts: each status line starts anew, which drops interim replies; trailers are ignored.
struct ReplyCollector {
    /// Why the reply was given up.
    enum Failure { case bodyTooLarge, headersTooLarge }

    static let maxHeaderBytes = 65_536

    let maxBodyBytes: Int
    private(set) var headers: [HTTPField] = []
    private(set) var body: [UInt8] = []
    private(set) var failure: Failure?
    /// All bytes taken, for the stall clock.
    private(set) var bytesSeen = 0
    private var headerBytes = 0
    private var isInterim = false
    private var headIsComplete = false

    init(maxBodyBytes: Int) { self.maxBodyBytes = maxBodyBytes }

    /// Takes one header line with its line end; false gives up.
    mutating func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytesSeen += bytes.count
        headerBytes += bytes.count
        guard headerBytes <= Self.maxHeaderBytes else {
            failure = .headersTooLarge
            return false
        }
        // SAFETY: the bytes are read within this call only.
        let line = unsafe Self.trimmed(String(decoding: bytes, as: UTF8.self))
        if line.hasPrefix("HTTP/") {
            headers = []
            headIsComplete = false
            isInterim = line.split(separator: " ").dropFirst().first?.hasPrefix("1") ?? false
        } else if line.isEmpty {
            headIsComplete = !isInterim
        } else if !headIsComplete {
            append(line, isFolded: unsafe bytes.first == 0x20 || bytes.first == 0x09)
        }
        return true
    }

    /// Takes body bytes; false gives up.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytesSeen += bytes.count
        guard body.count + bytes.count <= maxBodyBytes else {
            failure = .bodyTooLarge
            return false
        }
        // SAFETY: copied within this call.
        unsafe body.append(contentsOf: bytes)
        return true
    }

    private mutating func append(_ line: String, isFolded: Bool) {
        if isFolded, !headers.isEmpty {
            headers[headers.count - 1].value += " " + line
        } else if let colon = line.firstIndex(of: ":") {
            let value = Self.trimmed(String(line[line.index(after: colon)...]))
            headers.append(HTTPField(Self.trimmed(String(line[..<colon])), value))
        }
    }

    private static func trimmed(_ text: String) -> String {
        let blank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let start = text.utf8.drop(while: blank)
        guard let last = start.lastIndex(where: { !blank($0) }) else { return "" }
        return String(decoding: start[...last], as: UTF8.self)
    }
}

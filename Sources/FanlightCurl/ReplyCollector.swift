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
    private var place = Place.beforeHead

    /// What the next header line belongs to.
    private enum Place { case beforeHead, interimHead, finalHead, afterHead }

    /// True once the blank line after the final reply's header lines was seen.
    ///
    /// curl takes a connection that is closed before it for the end of a reply.
    var headIsComplete: Bool { place == .afterHead }

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
        // A line of blanks is none: curl, too, goes by the first byte.
        let isEnd = unsafe bytes.first == 0x0d || bytes.first == 0x0a
        switch place {
        case .beforeHead: if !isEnd { beginHead(line) }
        case .interimHead: if isEnd { place = .beforeHead }
        case .finalHead where isEnd: place = .afterHead
        case .finalHead: append(line, isFolded: unsafe bytes.first == 0x20 || bytes.first == 0x09)
        // A request that curl repeats without its Expect has a second reply; other lines are trailers.
        case .afterHead: if body.isEmpty, line.hasPrefix("HTTP/") { beginHead(line) }
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

    private mutating func beginHead(_ statusLine: String) {
        headers = []
        let isInterim = statusLine.split(separator: " ").dropFirst().first?.hasPrefix("1") ?? false
        place = isInterim ? .interimHead : .finalHead
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

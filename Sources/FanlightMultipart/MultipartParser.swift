// SPDX-License-Identifier: Apache-2.0

/// Reads a `multipart/form-data` body as it arrives (RFC 2046 section 5.1, RFC 7578).
///
/// Takes what real clients send: text or an empty line before the first delimiter, lines that end with LF alone,
/// any disposition, folded header lines, lines without a colon (ignored), a body that ends without its closing
/// delimiter's dashes. Any split of the input gives the same events, apart from where `data` is cut.
///
/// - Complexity: Linear in the bytes; memory is one appended block and one part's header lines.
public struct MultipartParser: Sendable {
    private enum State {
        case preamble, headers, content, finished
        case failed(MultipartError)
    }

    let delimiter: [UInt8]
    let search: DelimiterSearch
    private let limits: MultipartLimits
    private var state: State
    private var window = ByteWindow()
    private var isAtEnd = false
    private var parts = 0
    private var head = HeaderLines()
    /// Whether the last delimiter line ended with CR and LF: where it ended with LF alone, a CR is content.
    private var usesCRLF = true
    /// True where a delimiter may stand without a line break before it.
    private var isAtLineStart = true
    /// A delimiter that ends the content at the window's start.
    private var foundDelimiter: DelimiterMatch?

    /// Creates a parser.
    ///
    /// - Parameter boundary: Value of the boundary parameter, without the two dashes, 1 to 70 bytes.
    public init(boundary: [UInt8], limits: MultipartLimits = MultipartLimits()) {
        delimiter = Array("--".utf8) + boundary
        search = DelimiterSearch(delimiter)
        self.limits = limits
        state = (1...70).contains(boundary.count) ? .preamble : .failed(.badBoundary)
    }

    /// Takes the next bytes of the body; bytes behind the closing delimiter are dropped.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard isReading else { return }
        // SAFETY: the bytes are copied before the call returns.
        unsafe window.bytes.append(contentsOf: bytes)
    }

    /// Takes the next bytes of the body; bytes behind the closing delimiter are dropped.
    public mutating func append(_ bytes: [UInt8]) {
        if isReading { window.bytes += bytes }
    }

    /// Says that no more bytes come; `next()` then ends with `finished` or throws.
    public mutating func finishInput() { isAtEnd = true }

    /// True amid a part's content with nothing left over from before.
    var isWithinContent: Bool {
        guard case .content = state else { return false }
        return foundDelimiter == nil && !isAtLineStart && !isAtEnd && window.start == window.bytes.count
    }

    /// Counts bytes as read that went by; only within content.
    mutating func skip(_ count: Int) { window.skip(count) }

    private var isReading: Bool {
        switch state {
        case .finished, .failed: false
        default: !isAtEnd
        }
    }

    /// Returns the next event; after `finished` always `finished`.
    ///
    /// - Throws: ``MultipartError``; the same one at every later call.
    public mutating func next() throws(MultipartError) -> MultipartEvent {
        do throws(MultipartError) {
            while true {
                let event: MultipartEvent?
                switch state {
                case .preamble: event = try preamble()
                case .headers: event = try headers()
                case .content: event = try content()
                case .finished: event = .finished
                case .failed(let error): throw error
                }
                guard let event else { continue }
                if event == .needMoreData { window.compact() }
                return event
            }
        } catch {
            state = .failed(error)
            window = ByteWindow()
            throw error
        }
    }

    // MARK: - Preamble

    private mutating func preamble() throws(MultipartError) -> MultipartEvent? {
        if isAtLineStart {
            let match = DelimiterMatch(delimiter, in: window.bytes, at: window.start, isAtEnd: isAtEnd)
            switch match.kind {
            case .undecided: return .needMoreData
            case .part, .closing:
                follow(match)
                return nil
            case .none: isAtLineStart = false
            }
        }
        let lineFeed = window.nextLineFeed()
        if window.offset(of: lineFeed ?? window.bytes.count) > limits.maxPreambleBytes {
            throw .preambleTooLong(offset: limits.maxPreambleBytes, limit: limits.maxPreambleBytes)
        }
        if let lineFeed {
            window.drop(to: lineFeed + 1)
            isAtLineStart = true
            return nil
        }
        window.drop(to: window.bytes.count)
        if isAtEnd { throw .noDelimiter(offset: window.offset(of: window.start)) }
        return .needMoreData
    }

    /// Goes behind a delimiter.
    private mutating func follow(_ match: DelimiterMatch) {
        window.drop(to: match.end)
        usesCRLF = match.endsWithCR ?? usesCRLF
        foundDelimiter = nil
        isAtLineStart = true
        if match.kind == .closing {
            state = .finished
            window = ByteWindow()
        } else {
            state = .headers
            head = HeaderLines()
        }
    }

    // MARK: - Header lines

    private mutating func headers() throws(MultipartError) -> MultipartEvent? {
        if isAtLineStart {
            let match = DelimiterMatch(delimiter, in: window.bytes, at: window.start, isAtEnd: isAtEnd)
            switch match.kind {
            case .undecided: return .needMoreData
            case .part, .closing: return try headCutShort(by: match)
            case .none: isAtLineStart = false
            }
        }
        guard let lineFeed = window.nextLineFeed() else {
            try checkHeadSize(adding: window.bytes.count - window.start)
            guard isAtEnd else { return .needMoreData }
            if head.isEmpty, window.start == window.bytes.count {
                state = .finished
                return nil
            }
            throw .truncated(offset: window.offset(of: window.bytes.count))
        }
        try checkHeadSize(adding: lineFeed + 1 - window.start)
        var line = window.bytes[window.start..<lineFeed]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        let isBlank = line.isEmpty
        if !isBlank { head.append(line, size: lineFeed + 1 - window.start) }
        window.drop(to: lineFeed + 1)
        isAtLineStart = true
        guard isBlank else { return nil }
        state = .content
        return .partBegan(try beginPart())
    }

    /// A delimiter stands where header lines were expected: the part has no content, or there was no part at all.
    private mutating func headCutShort(by match: DelimiterMatch) throws(MultipartError) -> MultipartEvent? {
        if head.isEmpty {
            follow(match)
            return nil
        }
        let part = try beginPart()
        head = HeaderLines()
        state = .content
        foundDelimiter = match
        return .partBegan(part)
    }

    private mutating func checkHeadSize(adding count: Int) throws(MultipartError) {
        guard head.size + count > limits.maxHeaderBytes else { return }
        throw .headerTooLong(offset: window.offset(of: window.start), limit: limits.maxHeaderBytes)
    }

    private mutating func beginPart() throws(MultipartError) -> PartHead {
        let offset = window.offset(of: window.start)
        parts += 1
        if parts > limits.maxParts { throw .tooManyParts(offset: offset, limit: limits.maxParts) }
        let part = head.partHead()
        if max(part.name.utf8.count, part.filename?.utf8.count ?? 0) > limits.maxNameBytes {
            throw .nameTooLong(offset: offset, limit: limits.maxNameBytes)
        }
        return part
    }

    // MARK: - Content

    private mutating func content() throws(MultipartError) -> MultipartEvent? {
        if let match = foundDelimiter {
            follow(match)
            return .partEnded
        }
        if isAtLineStart {
            let match = DelimiterMatch(delimiter, in: window.bytes, at: window.start, isAtEnd: isAtEnd)
            switch match.kind {
            case .undecided: return .needMoreData
            case .part, .closing:
                foundDelimiter = match
                return nil
            case .none: isAtLineStart = false
            }
        }
        while let lineFeed = window.nextDelimiterPlace() {
            let match = DelimiterMatch(delimiter, in: window.bytes, at: lineFeed + 1, isAtEnd: isAtEnd)
            if match.kind == .none {
                window.scanned = lineFeed + 1
                continue
            }
            let hasCR = lineFeed > window.start && window.bytes[lineFeed - 1] == UInt8(ascii: "\r")
            if match.kind == .undecided {
                return window.take(to: hasCR ? lineFeed - 1 : lineFeed).map { .data($0) } ?? .needMoreData
            }
            foundDelimiter = match
            let isPartOfDelimiter = hasCR && (match.endsWithCR ?? usesCRLF)
            return window.take(to: isPartOfDelimiter ? lineFeed - 1 : lineFeed).map { .data($0) }
        }
        return try contentWithoutDelimiter()
    }

    /// Hands on all but a CR that may belong to a delimiter.
    private mutating func contentWithoutDelimiter() throws(MultipartError) -> MultipartEvent? {
        let keepsCR = !isAtEnd && window.bytes.last == UInt8(ascii: "\r")
        let end = max(window.start, window.bytes.count - (keepsCR ? 1 : 0))
        if let bytes = window.take(to: end) { return .data(bytes) }
        guard isAtEnd else { return .needMoreData }
        throw .truncated(offset: window.offset(of: window.bytes.count))
    }
}

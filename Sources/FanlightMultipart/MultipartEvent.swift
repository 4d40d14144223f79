// SPDX-License-Identifier: Apache-2.0

/// What the header lines of one part say.
public struct PartHead: Sendable, Equatable {
    /// Form field name; empty when the part gives none.
    public var name: String
    /// File name as sent, of no use as a path; `nil` when absent, empty for an empty file input.
    public var filename: String?
    /// Content-Type with its parameters, trimmed; `nil` when absent.
    public var contentType: String?
    /// Content-Transfer-Encoding (deprecated by RFC 7578) in lower case, trimmed; `nil` when absent.
    public var transferEncoding: String?

    /// Creates a head.
    public init(name: String, filename: String? = nil, contentType: String? = nil, transferEncoding: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.transferEncoding = transferEncoding
    }
}

/// One step of reading a body.
public enum MultipartEvent: Sendable, Equatable {
    /// A part's header lines are complete.
    case partBegan(PartHead)
    /// The next bytes of the part's content, never empty; where they are cut depends on how they arrived.
    case data([UInt8])
    /// The part's content is complete.
    case partEnded
    /// The closing delimiter was read, or the input ended right behind a delimiter; what follows is ignored.
    case finished
    /// More bytes, or the end of input, must be given first.
    case needMoreData
}

/// Bounds of one body; content has none here, since it is handed on at once.
public struct MultipartLimits: Sendable, Equatable {
    /// Header lines of one part, in bytes.
    public var maxHeaderBytes = 16_384
    /// Parts of a body.
    public var maxParts = 512
    /// A field name or a file name, in bytes.
    public var maxNameBytes = 1_024
    /// What may stand before the first delimiter, in bytes.
    public var maxPreambleBytes = 65_536

    /// Creates the default limits.
    public init() {}
}

/// Why a body cannot be read; `offset` counts bytes from the start of the body.
public enum MultipartError: Error, Sendable, Equatable {
    /// The boundary parameter is empty or longer than 70 characters.
    case badBoundary
    /// The input ended before the first delimiter.
    case noDelimiter(offset: Int)
    /// The input ended inside a part.
    case truncated(offset: Int)
    case preambleTooLong(offset: Int, limit: Int)
    case headerTooLong(offset: Int, limit: Int)
    case nameTooLong(offset: Int, limit: Int)
    case tooManyParts(offset: Int, limit: Int)
}

extension MultipartError: CustomStringConvertible {
    /// What is wrong, as a part of a sentence.
    public var description: String {
        switch self {
        case .badBoundary: "the boundary is empty or longer than 70 characters"
        case .noDelimiter: "the boundary of the Content-Type does not occur in it"
        case .truncated(let offset): "it ends within a part, after \(offset) bytes"
        case .preambleTooLong(_, let limit):
            "the boundary of the Content-Type does not occur in its first \(limit) bytes"
        case .headerTooLong(let offset, let limit):
            "the header of a part is longer than \(limit) bytes, at byte \(offset)"
        case .nameTooLong(let offset, let limit): "a name is longer than \(limit) bytes, at byte \(offset)"
        case .tooManyParts(_, let limit): "it has more than \(limit) parts"
        }
    }
}

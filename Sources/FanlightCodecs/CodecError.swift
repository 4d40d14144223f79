// SPDX-License-Identifier: Apache-2.0

/// Why a codec made no picture.
public enum CodecError: Error, Sendable, Equatable {
    /// The partial blocks at an edge cannot be turned without loss; an ordinary result.
    case notPerfect
    /// The pixels end early.
    case truncated
    /// The picture is damaged; the value is the library's message.
    case corrupt(String)
    /// No encoding keeps the byte limit; the value says why.
    case tooLarge(String)
    /// A library refused for a reason that is not the picture's; the value is its message.
    case failed(String)

    /// Sorts a library's message.
    static func decoding(_ message: String) -> CodecError {
        let lower = message.lowercased()
        let ends = ["premature", "truncated", "end of file", "end of stream", "out of order read", "not enough data"]
        if lower.contains("memory") { return .failed(message) }
        return ends.contains(where: lower.contains) ? .truncated : .corrupt(message)
    }
}

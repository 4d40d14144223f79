// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What is asked of a helper process.
struct HelperOrder: Sendable, Equatable {
    var path: String
    var source: MediaType
    var orientation: Orientation
    var rotates: Bool
    var width: Int
    var height: Int
    var maxWidth = 0
    var maxHeight = 0
    var quality = 85
    var maxBytes = 0
    var output: MediaType
    var allFrames = false
    var srgb = false

    /// The request's line, without its end; `nil` when the path cannot be written in it.
    func line(id: Int) -> String? {
        guard !path.utf8.contains(where: { $0 < 0x20 }) else { return nil }
        let fields: [String] = [
            "\(id)", path, source.rawValue, "\(orientation.rawValue)", rotates ? "rotate" : "pixels", "\(width)",
            "\(height)", "\(maxWidth)", "\(maxHeight)", "\(quality)", "\(maxBytes)", output.rawValue,
            allFrames ? "1" : "0", srgb ? "1" : "0",
        ]
        return fields.joined(separator: "\t")
    }
}

/// What a helper process answers.
enum HelperAnswer: Sendable, Equatable {
    /// So many bytes of picture follow.
    case picture(count: Int)
    case imperfect
    case refused(ImageError)

    /// Bytes of the longest picture that is taken from a helper.
    static let longestPicture = 512 << 20

    /// Reads an answer's line; `nil` when it is none or not for this request.
    init?(_ line: String, id: Int) {
        let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count >= 3, Int(fields[0]) == id else { return nil }
        if fields[1] == "ok" {
            guard let count = Int(fields[2]), count > 0, count <= Self.longestPicture else { return nil }
            self = .picture(count: count)
            return
        }
        guard fields[1] == "error", fields.count == 4 else { return nil }
        let message = String(fields[3])
        switch fields[2] {
        case "imperfect": self = .imperfect
        case "truncated": self = .refused(.truncated)
        case "corrupt": self = .refused(.corrupt(message))
        case "too_large": self = .refused(.noRendition(message))
        default: self = .refused(.processingFailed(message))
        }
    }
}

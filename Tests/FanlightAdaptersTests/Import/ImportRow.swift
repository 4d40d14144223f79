// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// A description that is imported, what goes out by it, and what is read from a reply.
struct ImportRow: Sendable, CustomTestStringConvertible {
    /// What it shows.
    var name: String
    /// The file's text.
    var text: String
    /// Bytes before the text.
    var mark: [UInt8] = []
    /// Values of settings besides the file's own secrets.
    var settings: [String: String] = [:]
    /// Options of the upload.
    var options: [String: String] = [:]
    /// One line for the request, each header, each field and the body.
    var request: [String]
    var status = 200
    var replyHeaders: [HTTPField] = []
    var reply: String
    /// `link …`, `thumbnail …`, `delete …`, or `failure …` with the message.
    var result: [String]
    /// Beginnings of remarks, in order.
    var remarks: [String] = []
    /// Names of the settings that hold the file's secrets.
    var secrets: [String] = []

    var testDescription: String { name }
    var bytes: [UInt8] { mark + Array(text.utf8) }

    /// The lines of a request.
    static func lines(_ request: HTTPRequest) -> [String] {
        var lines = ["\(request.method) \(request.url)"]
        lines += request.headers.map { "\($0.name): \($0.value)" }
        switch request.body {
        case .empty: break
        case .bytes(let bytes): lines.append("body " + String(decoding: bytes, as: UTF8.self))
        case .file: lines.append("the picture")
        case .pieces(let pieces):
            let text = pieces.map { piece -> String in
                switch piece {
                case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
                case .file: "<picture>"
                case .base64: "cGljdHVyZQ=="
                }
            }
            lines.append("body " + text.joined())
        case .multipart(let parts):
            for part in parts {
                switch part.content {
                case .text(let text): lines.append("field \(part.name)=\(text)")
                case .file(_, let name): lines.append("file \(part.name): \(name)")
                }
            }
        }
        return lines
    }

    /// The lines of an outcome.
    static func lines(_ result: Result<DeliveryLinks, DeliveryFailure>) -> [String] {
        switch result {
        case .failure(let failure): return ["failure \(failure.message)"]
        case .success(let links):
            let pairs = [("link", links.link), ("thumbnail", links.thumbnail), ("delete", links.deleteURL)]
            return pairs.compactMap { name, value in value.map { "\(name) \($0)" } }
        }
    }
}

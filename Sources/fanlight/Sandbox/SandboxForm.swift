// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMultipart

/// A multipart body as a service host sees it.
struct SandboxForm {
    struct File {
        var field: String
        var name: String?
        var type: String?
        var bytes: [UInt8]
    }

    var fields: [HTTPField] = []
    var files: [File] = []

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Reads a whole body; `nil` when it is no well-formed multipart body.
    init?(contentType: String, body: [UInt8]) {
        guard contentType.lowercased().hasPrefix("multipart/form-data"),
            let boundary = BoundaryParameter.parse(contentType)
        else { return nil }
        var parser = MultipartParser(boundary: boundary, limits: MultipartLimits())
        parser.append(body)
        parser.finishInput()
        var part: File?
        while true {
            guard let event = try? parser.next() else { return nil }
            switch event {
            case .partBegan(let head):
                part = File(field: head.name, name: head.filename, type: head.contentType, bytes: [])
            case .data(let bytes): part?.bytes += bytes
            case .partEnded:
                guard let ended = part else { return nil }
                if ended.name != nil {
                    files.append(ended)
                } else {
                    fields.append(HTTPField(ended.field, String(decoding: ended.bytes, as: UTF8.self)))
                }
                part = nil
            case .finished: return
            case .needMoreData: return nil
            }
        }
    }
}

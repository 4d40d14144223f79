// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore

/// One line of standard input: fields separated by tabs, in the order of the properties.
struct HelperRequest {
    var id: Substring
    var path: String
    var rotates: Bool
    var width: Int
    var height: Int
    var order: PixelPipeline.Order

    /// Number of fields.
    static let fieldCount = 14

    /// Reads a line; `nil` when it is not a request.
    init?(_ line: String) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == Self.fieldCount, let source = MediaType(rawValue: String(fields[2])),
            let turning = Int(fields[3]).flatMap(Orientation.init), fields[4] == "rotate" || fields[4] == "pixels",
            let width = Int(fields[5]), let height = Int(fields[6]), let maxWidth = Int(fields[7]),
            let maxHeight = Int(fields[8]), let quality = Int(fields[9]), let maxBytes = Int(fields[10]),
            let output = MediaType(rawValue: String(fields[11]))
        else { return nil }
        id = fields[0]
        path = String(fields[1])
        rotates = fields[4] == "rotate"
        self.width = width
        self.height = height
        order = PixelPipeline.Order(
            source: source,
            output: output,
            orientation: turning,
            allFrames: fields[12] == "1",
            maxWidth: maxWidth,
            maxHeight: maxHeight,
            quality: quality,
            maxBytes: maxBytes,
            srgb: fields[13] == "1"
        )
    }
}

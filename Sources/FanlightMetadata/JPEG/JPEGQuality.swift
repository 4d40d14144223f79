// SPDX-License-Identifier: Apache-2.0

/// Guesses a JPEG's quality from its first quantisation table.
enum JPEGQuality {
    /// Sum of the luminance table of T.81 table K.1, which libjpeg scales by the quality.
    private static let standardSum = 3_688

    /// - Parameter payload: The payload of a DQT segment.
    /// - Returns: 1 to 100; `nil` unless the segment starts with table 0.
    static func estimate(_ payload: ByteWindow) -> Int? {
        guard let head = payload.uint8(0), head & 15 == 0, head >> 4 <= 1 else { return nil }
        let width = 1 + (head >> 4)
        var sum = 0
        for index in 0..<64 {
            guard let value = payload.integer(1 + index * width, width: width) else { return nil }
            sum += value
        }
        // libjpeg: scale = 5000 / quality below 50, 200 - 2 * quality from there on, in percent.
        let scale = max(1, 100 * sum / standardSum)
        let quality = scale <= 100 ? (200 - scale) / 2 : 5_000 / scale
        return min(100, max(1, quality))
    }
}

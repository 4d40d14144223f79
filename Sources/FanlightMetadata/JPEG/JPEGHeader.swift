// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Reads how a JPEG is coded.
public enum JPEGHeader {
    /// Reads size, channels, coding process, quality, colour profile and Adobe transform.
    ///
    /// - Parameter bytes: The whole file.
    /// - Returns: The layout of the first picture.
    /// - Throws: ``ImageError`` where the bytes are no whole JPEG, or one that no decoder here takes.
    public static func inspect(_ bytes: [UInt8]) throws(ImageError) -> JPEGLayout {
        var cursor = try JPEGCursor(ByteWindow(bytes), trustsEnd: true)
        var layout: JPEGLayout?
        var profile = ICCParts()
        var adobe: Int?
        var quality: Int?
        while let segment = try cursor.next() {
            if segment.isFrameHeader, layout == nil { layout = try frame(segment) }
            if let part = segment.icc { profile.add(part) }
            if segment.marker == 0xDB, quality == nil { quality = JPEGQuality.estimate(segment.payload) }
            if segment.isAdobe, adobe == nil { adobe = segment.payload.uint8(11) }
        }
        guard var result = layout else { throw .corrupt("no frame header") }
        result.iccProfile = profile.joined.flatMap { profile in
            ICCProfile.isSound(profile, components: result.components.count) ? profile : nil
        }
        result.adobeTransform = adobe
        result.estimatedQuality = quality
        return result
    }

    /// Reads a frame header (T.81 B.2.2).
    static func frame(_ segment: JPEGSegment) throws(ImageError) -> JPEGLayout {
        guard let process = JPEGLayout.Process(rawValue: Int(segment.marker & 0x0F)) else {
            throw .unsupportedType("lossless jpeg")
        }
        let payload = segment.payload
        guard let depth = payload.uint8(0), let height = payload.uint16(1), let width = payload.uint16(3),
            let count = payload.uint8(5), (1...4).contains(count), payload.count >= 6 + 3 * count
        else { throw .corrupt("bad frame header") }
        guard depth == 8 else { throw .unsupportedType("\(depth)-bit jpeg") }
        var components: [JPEGLayout.Component] = []
        for index in 0..<count {
            guard let identifier = payload.uint8(6 + 3 * index), let factors = payload.uint8(7 + 3 * index),
                (1...4).contains(factors >> 4), (1...4).contains(factors & 15)
            else { throw .corrupt("bad sampling factor") }
            components.append(.init(identifier: identifier, horizontal: factors >> 4, vertical: factors & 15))
        }
        return JPEGLayout(
            width: width,
            height: height,
            components: components,
            bitDepth: depth,
            process: process
        )
    }
}

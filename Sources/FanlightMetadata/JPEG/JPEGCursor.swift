// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Walks the segments of a JPEG's first picture, from the start marker to the end marker.
///
/// Bytes between segments, which decoders skip, are skipped too. Nothing behind the first end marker is looked at.
/// Source: ITU-T T.81 annex B.
struct JPEGCursor {
    private let bytes: ByteWindow
    private var offset = 2
    private var scans = 0
    private var isFinished = false
    /// Components of a frame whose data may all stand in one scan; 0 for other frames.
    private var sequentialComponents = 0
    private let trustsEnd: Bool

    /// As many scans as TurboJPEG takes when it limits them; more is an attack on the decoder.
    private static let maxScans = 500

    /// - Parameter trustsEnd: True where an end marker at the very end of the file proves that the one scan of a
    ///   sequential picture is whole. The scan is not walked through then, which is most of the time of reading.
    init(_ bytes: ByteWindow, trustsEnd: Bool = false) throws(ImageError) {
        guard bytes.has([0xFF, 0xD8]) else { throw .corrupt("no JPEG start marker") }
        self.bytes = bytes
        self.trustsEnd = trustsEnd
    }

    /// What stands behind the end marker; `nil` while that is not reached, and where its place is not known.
    private(set) var trailer: ByteWindow?

    /// The next segment; `nil` once the end marker is reached.
    mutating func next() throws(ImageError) -> JPEGSegment? {
        while !isFinished {
            guard var position = bytes.firstOffset(of: 0xFF, from: offset) else { throw .truncated }
            while bytes.byte(position) == 0xFF { position += 1 }
            guard let marker = bytes.byte(position) else { throw .truncated }
            offset = position + 1
            switch marker {
            case 0xD9:
                isFinished = true
                trailer = bytes.window(from: offset)
            case 0x00, 0x01, 0xD0...0xD7: continue
            case 0xD8: throw .corrupt("a second picture starts inside the first")
            default: return try segment(marker)
            }
        }
        return nil
    }

    private mutating func segment(_ marker: UInt8) throws(ImageError) -> JPEGSegment {
        let start = offset - 2
        guard let length = bytes.uint16(offset) else { throw .truncated }
        guard length >= 2 else { throw .corrupt("a segment is shorter than its length field") }
        guard let payload = bytes.window(at: offset + 2, count: length - 2) else { throw .truncated }
        offset += length
        if [0xC0, 0xC1, 0xC9].contains(marker) { sequentialComponents = payload.uint8(5) ?? 0 }
        if marker == JPEGSegment.startOfScan {
            scans += 1
            guard scans <= Self.maxScans else { throw .corrupt("too many scans") }
            if trustsEnd, scans == 1, sequentialComponents > 0, payload.uint8(0) == sequentialComponents,
                offset <= bytes.count - 2, bytes.has([0xFF, 0xD9], at: bytes.count - 2)
            {
                offset = bytes.count - 2
                isFinished = true
            } else {
                offset = try endOfCodedData(from: offset)
            }
        }
        guard let whole = bytes.window(at: start, count: offset - start) else { throw .truncated }
        return JPEGSegment(marker: marker, payload: payload, whole: whole)
    }

    /// Where the next marker stands that is neither a stuffed zero nor a restart.
    private func endOfCodedData(from start: Int) throws(ImageError) -> Int {
        if let marker = bytes.firstMarker(from: start) { return marker }
        throw .truncated
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a BMP's size and transparency and checks that its rows are there.
enum BMPReader {
    /// Header sizes that exist: OS/2, Windows 3 and its extensions.
    static let headerSizes = [12, 40, 52, 56, 64, 108, 124]

    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        guard let dataOffset = bytes.uint32(10, little: true), let header = bytes.uint32(14, little: true) else {
            throw .truncated
        }
        let isCore = header == 12
        guard let depth = bytes.uint16(isCore ? 24 : 28, little: true), bytes.count >= 14 + header,
            let width = isCore ? bytes.uint16(18, little: true) : bytes.uint32(18, little: true),
            let rawHeight = isCore ? bytes.uint16(20, little: true) : bytes.uint32(22, little: true)
        else { throw .truncated }
        let height = rawHeight >= 0x8000_0000 ? 0x1_0000_0000 - rawHeight : rawHeight
        guard width < 0x8000_0000, [1, 2, 4, 8, 16, 24, 32].contains(depth) else { throw .corrupt("bad header") }
        try limits.check(width: width, height: height)
        let compression = isCore ? 0 : bytes.uint32(30, little: true) ?? 0
        guard dataOffset >= 14 + header else { throw .corrupt("bad data offset") }
        switch compression {
        case 0, 3, 6:
            let rows = (width * depth + 31) / 32 * 4 * height
            guard bytes.window(at: dataOffset, count: rows) != nil else { throw .truncated }
        case 1, 2:
            let size = bytes.uint32(34, little: true) ?? 0
            guard bytes.window(at: dataOffset, count: max(2, size)) != nil else { throw .truncated }
        default: throw .unsupportedType("bmp with compression \(compression)")
        }
        let alphaMask = header >= 56 && compression != 0 ? bytes.uint32(66, little: true) ?? 0 : 0
        return ContainerFacts(width: width, height: height, hasAlpha: alphaMask != 0 && header != 64)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Checks of a colour profile's header.
///
/// Source: ICC.1:2022 section 7.2.
enum ICCProfile {
    /// Largest profile that is passed on; those of the field stay below 3 MiB.
    static let longest = 4 << 20
    /// Bytes of a header and of the count of tags behind it.
    static let headerSize = 132

    /// True for a profile that decoders may be given.
    ///
    /// - Parameters:
    ///   - profile: The whole profile, or with `size` its first bytes.
    ///   - size: Bytes of the whole profile.
    ///   - components: Colour channels of the picture: 1, 3 or 4.
    static func isSound(_ profile: [UInt8], size: Int? = nil, components: Int) -> Bool {
        let bytes = ByteWindow(profile)
        let size = size ?? profile.count
        guard size <= longest, let declared = bytes.uint32(0), declared >= headerSize, declared <= size,
            bytes.has("acsp", at: 36), let space = bytes.name(at: 16), let tags = bytes.uint32(128),
            tags >= 1, tags <= (declared - headerSize) / 12
        else { return false }
        switch space {
        case "RGB ": return components == 3
        case "GRAY": return components == 1
        case "CMYK": return components == 4
        default: return false
        }
    }
}

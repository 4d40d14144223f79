// SPDX-License-Identifier: Apache-2.0

/// The colours that an ICC profile is for (ICC.1, data colour space in the header).
enum ProfileSpace: Equatable {
    case srgb, rgb, grey, cmyk, other

    /// `nil` without a profile.
    init?(_ profile: [UInt8]?) {
        guard let profile else { return nil }
        guard profile.count >= 128 else {
            self = .other
            return
        }
        switch String(decoding: profile[16..<20], as: UTF8.self) {
        case "RGB ": self = Self.namesSRGB(profile) ? .srgb : .rgb
        case "GRAY": self = .grey
        case "CMYK": self = .cmyk
        default: self = .other
        }
    }

    /// True where a text of the profile, in ASCII or UTF-16, says so.
    private static func namesSRGB(_ profile: [UInt8]) -> Bool {
        let texts = profile[128...]
        return texts.firstRange(of: Array("sRGB".utf8)) != nil
            || texts.firstRange(of: [0x73, 0, 0x52, 0, 0x47, 0, 0x42]) != nil
    }
}

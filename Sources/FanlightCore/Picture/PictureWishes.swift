// SPDX-License-Identifier: Apache-2.0

/// How a sideways JPEG is made upright where only its turning is asked for.
public enum RotationPolicy: String, Sendable, CaseIterable {
    /// Without loss where the blocks allow it; else encoded again as well as the source was.
    case lossless
    /// Without loss; partial blocks at an edge are cut off, at most 15 rows or columns.
    case trim
    /// Always encoded again, with the quality of the constraints.
    case reencode
}

/// What happens to colours that are not sRGB.
public enum ColourPolicy: String, Sendable, CaseIterable {
    /// The profile stays with the pixels.
    case keep
    /// The pixels become sRGB, and the profile goes.
    case srgb
}

/// The ground that shows through transparency where a format has none.
public struct GroundColour: Sendable, Hashable, CustomStringConvertible {
    /// sRGB, 0...255.
    public var red: UInt8
    /// sRGB, 0...255.
    public var green: UInt8
    /// sRGB, 0...255.
    public var blue: UInt8

    /// Creates a colour.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// White.
    public static let white = GroundColour(red: 255, green: 255, blue: 255)

    /// Names that stand for a colour.
    public static let names: [String: GroundColour] = [
        "white": .white, "black": GroundColour(red: 0, green: 0, blue: 0),
        "grey": GroundColour(red: 128, green: 128, blue: 128), "gray": GroundColour(red: 128, green: 128, blue: 128),
        "silver": GroundColour(red: 192, green: 192, blue: 192), "red": GroundColour(red: 255, green: 0, blue: 0),
        "green": GroundColour(red: 0, green: 128, blue: 0), "blue": GroundColour(red: 0, green: 0, blue: 255),
    ]

    /// Reads a name or `#rrggbb`; `nil` for anything else.
    public init?(_ text: String) {
        if let named = Self.names[text] {
            self = named
            return
        }
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6, !digits.contains(UInt8(ascii: "+")),
            let value = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            red: UInt8(value >> 16),
            green: UInt8(value >> 8 & 0xFF),
            blue: UInt8(value & 0xFF)
        )
    }

    /// `#rrggbb`.
    public var description: String {
        "#"
            + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

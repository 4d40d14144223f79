// SPDX-License-Identifier: Apache-2.0

extension CodedColours {
    /// A profile that says the same (ICC.1:2022, three-component matrix-based display profile).
    public var profile: [UInt8] {
        let curve = Self.curve(curve)
        let name = primaries == .displayP3 ? "Display P3" : "Rec. 2020"
        let tags: [(name: String, data: [UInt8])] = [
            ("desc", Self.text(name)), ("cprt", Self.text("CC0")), ("wtpt", Self.xyz([0.9642, 1, 0.8249])),
            ("chad", Self.signature("sf32") + Self.adaptation.flatMap(Self.fixed)),
            ("rXYZ", Self.xyz(columns[0])), ("gXYZ", Self.xyz(columns[1])), ("bXYZ", Self.xyz(columns[2])),
            ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ]
        var table = Self.number(tags.count)
        var data: [UInt8] = []
        let start = 128 + 4 + tags.count * 12
        for tag in tags {
            table += Array(tag.name.utf8) + Self.number(start + data.count) + Self.number(tag.data.count)
            data += tag.data + [UInt8](repeating: 0, count: -tag.data.count & 3)
        }
        return Self.header(size: start + data.count) + table + data
    }

    /// The primaries as D50 sees them, red, green, blue: chromaticities of H.273, adapted by Bradford's matrix.
    private var columns: [[Double]] {
        switch primaries {
        case .displayP3: [[0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]]
        case .rec2020: [[0.67348, 0.27904, -0.00194], [0.16567, 0.67535, 0.02998], [0.12505, 0.04561, 0.79686]]
        }
    }

    /// Bradford's matrix from D65 to D50, row by row.
    private static let adaptation = [
        1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168,
    ]

    private static func header(size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 128)
        func put(_ bytes: [UInt8], at offset: Int) {
            header.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        }
        put(number(size), at: 0)
        put([4, 0x40, 0, 0], at: 8)
        put(Array("mntrRGB XYZ ".utf8), at: 12)
        put([0x07, 0xE8, 0, 1, 0, 1], at: 24)
        put(Array("acsp".utf8), at: 36)
        // D50, to which all values are adapted.
        put([0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D], at: 68)
        return header
    }

    private static func curve(_ curve: Curve) -> [UInt8] {
        switch curve {
        case .srgb:
            signature("para") + [0, 3, 0, 0]
                + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
        case .power(let exponent): signature("para") + [0, 0, 0, 0] + fixed(exponent)
        }
    }

    private static func xyz(_ values: [Double]) -> [UInt8] { signature("XYZ ") + values.flatMap(fixed) }

    private static func text(_ text: String) -> [UInt8] {
        signature("mluc") + number(1) + number(12) + Array("enUS".utf8) + number(text.utf8.count * 2) + number(28)
            + text.utf8.flatMap { [0, $0] }
    }

    private static func signature(_ name: String) -> [UInt8] { Array(name.utf8) + [0, 0, 0, 0] }

    /// A signed number with 16 bits behind the point.
    private static func fixed(_ value: Double) -> [UInt8] {
        number(Int((value * 65_536).rounded()))
    }

    private static func number(_ value: Int) -> [UInt8] {
        let bits = UInt32(truncatingIfNeeded: value)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) }
    }
}

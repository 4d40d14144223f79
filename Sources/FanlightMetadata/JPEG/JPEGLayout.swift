// SPDX-License-Identifier: Apache-2.0

/// How a JPEG is coded: what a lane needs to know before it turns or decodes it.
public struct JPEGLayout: Sendable, Equatable {
    /// Stored pixels, before turning.
    public var width: Int
    /// Stored pixels, before turning.
    public var height: Int
    /// The colour channels in the order of the frame header; 1 to 4.
    public var components: [Component]
    /// Bits a sample, usually 8.
    public var bitDepth: Int
    /// The coding process.
    public var process: Process
    /// The embedded colour profile; `nil` where there is none, a part is missing, or it does not fit the picture.
    public var iccProfile: [UInt8]?
    /// Colour transform of the Adobe segment: 0 none, 1 YCbCr, 2 YCCK; `nil` without such a segment.
    public var adobeTransform: Int?

    /// The quality, 1 to 100, at which libjpeg would write the first quantisation table; `nil` without such a table.
    ///
    /// An estimate: other encoders have tables of their own.
    public var estimatedQuality: Int?

    /// One colour channel and its sampling factors.
    public struct Component: Sendable, Equatable {
        /// The channel's number in the file.
        public var identifier: Int
        /// Samples across a coding unit, 1 to 4.
        public var horizontal: Int
        /// Samples down a coding unit, 1 to 4.
        public var vertical: Int

        /// Creates a component.
        public init(identifier: Int, horizontal: Int, vertical: Int) {
            self.identifier = identifier
            self.horizontal = horizontal
            self.vertical = vertical
        }
    }

    /// The low four bits of the frame marker (SOF0 to SOF15).
    public enum Process: Int, Sendable, Equatable {
        /// SOF0.
        case baseline = 0
        /// SOF1.
        case extended = 1
        /// SOF2.
        case progressive = 2
        /// SOF9.
        case arithmetic = 9
        /// SOF10.
        case arithmeticProgressive = 10
    }

    /// Pixels across one minimum coding unit.
    public var unitWidth: Int {
        components.count == 1 ? 8 : 8 * (components.map(\.horizontal).max() ?? 1)
    }

    /// Pixels down one minimum coding unit.
    public var unitHeight: Int {
        components.count == 1 ? 8 : 8 * (components.map(\.vertical).max() ?? 1)
    }
}

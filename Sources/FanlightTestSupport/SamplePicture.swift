// SPDX-License-Identifier: Apache-2.0

/// Small pictures made here.
public enum SamplePicture {
    /// A GIF of one black pixel.
    public static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
}

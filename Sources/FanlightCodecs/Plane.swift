// SPDX-License-Identifier: Apache-2.0

import CImaging
import FanlightCore

/// Owns the samples of one 8-bit plane; rows are as far apart as vector instructions like.
@safe final class Plane {
    /// Samples of a row, padding included.
    let width: Int
    /// Rows, padding included.
    let height: Int
    /// Bytes from row to row.
    let stride: Int
    /// Holds stride * height samples.
    private let memory: PlaneMemory.Block
    // SAFETY: the memory's bytes, for as long as this object lives.
    let samples: UnsafeMutablePointer<UInt8>

    /// Bytes that rows are aligned to.
    static let alignment = 64

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        stride = (width + Self.alignment - 1) / Self.alignment * Self.alignment
        memory = PlaneMemory.take(stride * height)
        // SAFETY: the memory is this object's own, and large enough.
        unsafe samples = unsafe memory.start.bindMemory(to: UInt8.self, capacity: stride * height)
    }

    deinit {
        PlaneMemory.giveBack(memory)
    }

    /// Copies the first `count` samples of the plane, turned, into another that has room for them (C: fl_turn).
    func turn(width: Int, height: Int, orientation: Orientation, into target: Plane) {
        // SAFETY: both planes hold the samples that are named; the target has its sides exchanged where it must.
        unsafe fl_turn(
            samples,
            stride,
            Int32(width),
            Int32(height),
            target.samples,
            target.stride,
            Int32(orientation.rawValue)
        )
    }

    /// Repeats the last column and row of the picture over the padding (C: fl_pad).
    func pad(from width: Int, _ height: Int) {
        guard width < self.width || height < self.height else { return }
        // SAFETY: the plane holds its own padded size.
        unsafe fl_pad(samples, stride, Int32(width), Int32(height), Int32(self.width), Int32(self.height))
    }
}

// SPDX-License-Identifier: Apache-2.0

import CImaging
import FanlightCore

/// Owns one picture inside libvips.
@safe final class Picture {
    // SAFETY: the one reference of this object, released once in deinit.
    private let image: OpaquePointer

    private init(_ image: OpaquePointer) {
        unsafe self.image = image
    }

    deinit {
        // SAFETY: the reference is this object's own.
        unsafe fl_release(image)
    }

    /// Opens with the loader of that name; the bytes must outlive the picture.
    ///
    /// - Parameters:
    ///   - frames: so many frames of an animation.
    ///   - shrink: 1, 2, 4 or 8: decodes a JPEG that much smaller.
    ///   - scale: 1 or less: decodes a WebP that much smaller.
    static func open(
        _ bytes: UnsafeRawBufferPointer,
        _ kind: fl_kind,
        frames: Int,
        shrink: Int = 1,
        scale: Double = 1
    ) throws(CodecError) -> Picture {
        guard let start = bytes.baseAddress else { throw .truncated }
        // SAFETY: pointer and count describe the same bytes, which the caller keeps alive.
        let opened = unsafe fl_open(start, bytes.count, kind, Int32(clamping: frames), Int32(shrink), scale)
        guard let image = unsafe opened else { throw .decoding(message()) }
        return unsafe Picture(image)
    }

    /// Copies pixels of 1, 3 or 4 bands, row by row from the top.
    static func of(pixels: [UInt8], width: Int, height: Int, bands: Int, profile: [UInt8]? = nil) throws(CodecError)
        -> Picture
    {
        guard pixels.count == width * height * bands, !pixels.isEmpty else { throw .failed("pixels and size differ") }
        // SAFETY: the shim copies pixels and profile before it returns; the counts are theirs.
        let copied = unsafe pixels.withUnsafeBytes { pixels in
            unsafe (profile ?? []).withUnsafeBytes { profile in
                unsafe pixels.baseAddress.flatMap {
                    unsafe fl_from_pixels(
                        $0,
                        Int32(width),
                        Int32(height),
                        Int32(bands),
                        profile.count > 0 ? profile.baseAddress : nil,
                        profile.count
                    )
                }
            }
        }
        guard let image = unsafe copied else { throw .failed(message()) }
        return unsafe Picture(image)
    }

    /// Pixels of one frame.
    var size: (width: Int, height: Int) {
        // SAFETY: the reference is valid as long as this object.
        unsafe (Int(fl_width(image)), Int(fl_height(image)))
    }

    /// Bytes of all decoded pixels.
    var byteCount: Int {
        // SAFETY: the reference is valid as long as this object.
        unsafe fl_size(image)
    }

    /// The same pixels as a strip of frames (C: fl_animate).
    func animated(pageHeight: Int, delays: [Int], plays: Int) throws(CodecError) -> Picture {
        let times = delays.map { Int32(clamping: $0) }
        // SAFETY: the reference is valid; the array holds as many times as are named.
        let made = unsafe times.withUnsafeBufferPointer { times in
            unsafe times.baseAddress.flatMap {
                unsafe fl_animate(image, Int32(pageHeight), $0, Int32(times.count), Int32(clamping: plays))
            }
        }
        guard let made = unsafe made else { throw .failed(Self.message()) }
        return unsafe Picture(made)
    }

    /// Milliseconds of each frame; one for a still.
    var delays: [Int] {
        // SAFETY: the reference is valid, and the array has room for all frames.
        let count = Int(unsafe fl_frames(image))
        var times = [Int32](repeating: 0, count: max(1, count))
        unsafe fl_delays(image, &times, Int32(times.count))
        return times.map { max(0, Int($0)) }
    }

    /// How often an animation is played; 0 = for ever.
    var plays: Int {
        // SAFETY: the reference is valid.
        max(0, Int(unsafe fl_plays(image)))
    }

    /// One frame of a strip (C: fl_frame).
    func frame(_ index: Int) throws(CodecError) -> Picture {
        // SAFETY: the reference is valid; the result is a new reference, owned by the returned object.
        guard let made = unsafe fl_frame(image, Int32(index)) else { throw .failed(Self.message()) }
        return unsafe Picture(made)
    }

    /// The colour profile.
    var profile: [UInt8]? {
        var count = 0
        // SAFETY: the reference is valid; the profile belongs to it and is copied at once.
        guard let start = unsafe fl_profile(image, &count) else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The same pixels with that colour profile (C: fl_tag).
    func tagged(_ profile: [UInt8]) throws(CodecError) -> Picture {
        // SAFETY: the reference is valid; the shim copies the profile, whose pointer and count are its own.
        let made = unsafe profile.withUnsafeBytes { profile in
            unsafe profile.baseAddress.flatMap { unsafe fl_tag(image, $0, profile.count) }
        }
        guard let made = unsafe made else { throw .failed(Self.message()) }
        return unsafe Picture(made)
    }

    /// Red, green, blue and alpha of a still, row by row from the top.
    func rgba() throws(CodecError) -> [UInt8] {
        // SAFETY: the reference is valid; the library allocates width * height * 4 bytes.
        let pixels = unsafe fl_rgba(image)
        defer { unsafe fl_free(pixels) }
        guard let start = unsafe pixels else { throw .decoding(Self.message()) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: size.width * size.height * 4))
    }

    /// The same picture with its pixels in memory.
    func inMemory() throws(CodecError) -> Picture {
        // SAFETY: the reference is valid; the result is a new reference, owned by the returned object.
        guard let held = unsafe fl_in_memory(image) else { throw .decoding(Self.message()) }
        return unsafe Picture(held)
    }

    /// Turns, shrinks, converts: what `fl_prepare` does.
    func prepared(_ order: fl_order, notes: inout PixelNotes) throws(CodecError) -> Picture {
        var noticed: Int32 = 0
        // SAFETY: the reference is valid; the result is a new reference, owned by the returned object.
        let made = unsafe fl_prepare(image, order, &noticed)
        notes.insert(PixelNotes(rawValue: UInt8(truncatingIfNeeded: noticed)))
        guard let made = unsafe made else { throw .decoding(Self.message()) }
        return unsafe Picture(made)
    }

    func rgb() throws(CodecError) -> [UInt8] {
        let count = size.width * size.height * 3
        // SAFETY: the reference is valid; the library allocates width * height * 3 bytes of one frame or more.
        let pixels = unsafe fl_rgb(image)
        defer { unsafe fl_free(pixels) }
        guard let start = unsafe pixels else { throw .failed(Self.message()) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func saved(_ encoding: fl_encoding) throws(CodecError) -> [UInt8] {
        var output: UnsafeMutableRawPointer?
        var count = 0
        // SAFETY: the reference is valid; the library allocates the output.
        let done = unsafe fl_save(image, encoding, &output, &count)
        // SAFETY: allocated by the library, or null.
        defer { unsafe fl_free(output) }
        guard done, let start = unsafe output else { throw .decoding(Self.message()) }
        // SAFETY: the library wrote `count` bytes from `start`.
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The library's message on one line.
    static func message() -> String {
        let text = unsafe String(unsafeUninitializedCapacity: 400) { buffer in
            // SAFETY: the shim writes at most the buffer's size and ends it by NUL.
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return 0 }
                unsafe fl_error(start, characters.count)
                return unsafe characters.firstIndex(of: 0) ?? 0
            }
        }
        return String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }
}

extension fl_order {
    /// An order that changes nothing but the depth.
    init(job: PixelJob? = nil, orientation: Orientation = .upright, keep: Bool = false) {
        self.init()
        self.orientation = Int32(orientation.rawValue)
        self.keep = keep
        guard let job else { return }
        box_width = Int32(clamping: job.maxWidth)
        box_height = Int32(clamping: job.maxHeight)
        srgb = job.srgb || job.output == .gif
        flat = job.output == .jpeg
        ground = (job.background.red, job.background.green, job.background.blue)
    }
}

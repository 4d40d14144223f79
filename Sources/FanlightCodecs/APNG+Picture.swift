// SPDX-License-Identifier: Apache-2.0

import CImaging

extension APNG {
    /// Draws the first frames one below the other, each as it is seen.
    ///
    /// - Throws: `CodecError.failed` where that would take more than `PixelPipeline.heldBytes`.
    func picture(frames count: Int) throws(CodecError) -> Picture {
        let size = width * height * 4
        guard count > 0, size <= PixelPipeline.heldBytes / count else { throw .failed("the animation is too large") }
        var strip: [UInt8] = []
        strip.reserveCapacity(size * count)
        var canvas = [UInt8](repeating: 0, count: size)
        for (index, frame) in frames.prefix(count).enumerated() {
            // What nothing came before can only be cleared.
            let disposal = index == 0 && frame.disposal == 2 ? 1 : frame.disposal
            let before = disposal == 2 ? canvas : []
            Self.draw(try Self.pixels(still(frame)), frame, on: &canvas, width)
            strip += canvas
            if disposal == 2 { canvas = before }
            if disposal == 1 { Self.draw(nil, frame, on: &canvas, width) }
        }
        let shown = min(count, frames.count)
        let whole = try Picture.of(
            pixels: strip,
            width: width,
            height: height * shown,
            bands: 4,
            profile: try profile()
        )
        return try whole.animated(pageHeight: height, delays: frames.prefix(shown).map(\.delay), plays: plays)
    }

    /// The colour profile, by way of the first frame.
    private func profile() throws(CodecError) -> [UInt8]? {
        guard let first = frames.first else { return nil }
        return try Self.open(still(first)) { picture throws(CodecError) in picture.profile }
    }

    private static func pixels(_ png: [UInt8]) throws(CodecError) -> [UInt8] {
        try open(png) { picture throws(CodecError) in try picture.rgba() }
    }

    private static func open<Value>(
        _ png: [UInt8],
        _ body: (Picture) throws(CodecError) -> Value
    ) throws(CodecError) -> Value {
        let result: Result<Value, CodecError> = unsafe png.withUnsafeBytes { raw in
            do throws(CodecError) {
                // SAFETY: the picture is gone when this closure returns.
                return .success(try body(unsafe try Picture.open(raw, FL_PNG, frames: 1)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func draw(_ pixels: [UInt8]?, _ frame: Frame, on canvas: inout [UInt8], _ width: Int) {
        if let pixels, pixels.count != frame.width * frame.height * 4 { return }
        // SAFETY: the frame lies within the canvas, and its pixels are as many as its size says.
        unsafe canvas.withUnsafeMutableBufferPointer { canvas in
            unsafe (pixels ?? []).withUnsafeBufferPointer { source in
                guard let start = canvas.baseAddress else { return }
                unsafe fl_draw(
                    start,
                    Int32(width),
                    pixels == nil ? nil : source.baseAddress,
                    Int32(frame.x),
                    Int32(frame.y),
                    Int32(frame.width),
                    Int32(frame.height),
                    frame.isOver
                )
            }
        }
    }

    /// Writes a strip of frames as an animated PNG; every frame holds the whole picture.
    static func encode(_ strip: Picture) throws(CodecError) -> [UInt8] {
        var result = signature
        let delays = strip.delays
        var sequence = 0
        for index in delays.indices {
            var encoding = fl_encoding()
            encoding.kind = FL_PNG
            let still = try strip.frame(index).saved(encoding)
            let size = strip.size
            let control =
                bytes(sequence) + bytes(size.width) + bytes(size.height) + bytes(0) + bytes(0)
                + bytes(min(delays[index], 65_535), 2) + bytes(1000, 2) + [0, 0]
            sequence += 1
            var isControlled = false
            for chunk in chunks(of: still) {
                if chunk.name == "IDAT" {
                    if !isControlled { result += self.chunk("fcTL", control) }
                    isControlled = true
                    guard index > 0 else {
                        result += self.chunk("IDAT", Array(chunk.data))
                        continue
                    }
                    result += self.chunk("fdAT", bytes(sequence) + chunk.data)
                    sequence += 1
                } else if index == 0, chunk.name != "IEND" {
                    result += self.chunk(chunk.name, Array(chunk.data))
                    let head = bytes(delays.count) + bytes(strip.plays)
                    if chunk.name == "IHDR" { result += self.chunk("acTL", head) }
                }
            }
        }
        return result + chunk("IEND", [])
    }

    /// Name and data of the chunks that our own encoder wrote.
    private static func chunks(of png: [UInt8]) -> [(name: String, data: ArraySlice<UInt8>)] {
        var found: [(String, ArraySlice<UInt8>)] = []
        var at = 8
        while at + 12 <= png.count {
            let length = png[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard length <= png.count - at - 12 else { break }
            found.append((String(decoding: png[(at + 4)..<(at + 8)], as: UTF8.self), png[(at + 8)..<(at + 8 + length)]))
            at += 12 + length
        }
        return found
    }
}

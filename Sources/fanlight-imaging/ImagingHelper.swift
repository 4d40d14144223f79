// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore
import Glibc

/// Answers requests, one after another, until standard input ends.
///
/// An answer is a line `id TAB ok TAB count`, followed by so many bytes of picture, or `id TAB error TAB kind TAB
/// message`. Kinds are `imperfect`, `truncated`, `corrupt`, `too_large` and `failed`.
struct ImagingHelper {
    /// Processor time for one picture.
    static let processorSeconds = 10

    let pipeline: PixelPipeline
    let answers: Int32

    func run() {
        // A request comes only after the last answer, so that nothing waits in readLine's own buffer.
        HelperConfinement.awaitInput()
        while let line = readLine() {
            defer { HelperConfinement.awaitInput() }
            guard let request = HelperRequest(line), HelperConfinement.allowProcessor(seconds: Self.processorSeconds)
            else { return }
            guard answer(request) else { return }
        }
    }

    private func answer(_ request: HelperRequest) -> Bool {
        do throws(CodecError) {
            let made = try make(request)
            return send(Array("\(request.id)\tok\t\(made.count)\n".utf8)) && send(made)
        } catch {
            let (kind, message) = Self.describe(error)
            return send(Array("\(request.id)\terror\t\(kind)\t\(message)\n".utf8))
        }
    }

    private func make(_ request: HelperRequest) throws(CodecError) -> [UInt8] {
        guard let bytes = Self.read(request.path) else { throw .failed("the picture's file cannot be read") }
        if request.rotates { return try LosslessRotation.upright(bytes, orientation: request.order.orientation) }
        return try pipeline.make(bytes, request.order, header: (request.width, request.height))
    }

    private static func describe(_ error: CodecError) -> (kind: String, message: String) {
        switch error {
        case .notPerfect: ("imperfect", "")
        case .truncated: ("truncated", "")
        case .corrupt(let message): ("corrupt", message)
        case .tooLarge(let message): ("too_large", message)
        case .failed(let message): ("failed", message)
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        // SAFETY: the path is ended by NUL for the length of the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else { return nil }
        var complete = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                // SAFETY: count is below size, which is the buffer's capacity.
                let got = unsafe pread(
                    descriptor,
                    UnsafeMutableRawBufferPointer(buffer).baseAddress.map { unsafe $0 + count },
                    size - count,
                    off_t(count)
                )
                if got <= 0 {
                    complete = false
                    break
                }
                count += got
            }
        }
        return complete ? bytes : nil
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        // SAFETY: the buffer lives as long as the closure, and offsets stay below its count.
        unsafe bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let count = unsafe write(answers, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent)
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }
}

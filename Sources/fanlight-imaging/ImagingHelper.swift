// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore
import Glibc

/// Answers requests, one after another, until the gateway closes its end of the socket.
///
/// A request brings the picture's descriptor; each file that is made goes back as a descriptor of memory.
struct ImagingHelper {
    let pipeline: PixelPipeline
    let socket: MessageSocket
    let limits: HelperLimits

    func run() {
        HelperConfinement.awaitInput()
        while let message = socket.receive() {
            guard let picture = message.descriptor else { return }
            let bytes = Self.read(picture)
            _ = close(picture)
            guard let request = HelperRequest(text: message.text),
                HelperConfinement.allowProcessor(seconds: limits.processorSeconds * max(1, request.jobs.count)),
                answer(request, bytes)
            else { return }
            HelperConfinement.awaitInput()
        }
    }

    private func answer(_ request: HelperRequest, _ bytes: [UInt8]?) -> Bool {
        guard let bytes else {
            let error = ImageError.processingFailed("the picture's file cannot be read")
            let isSent = request.jobs.indices.allSatisfy { send(.refused(job: $0, error), request.id) }
            return isSent && send(.end(decodes: 0), request.id)
        }
        var isSent = true
        let decodes = pipeline.run(bytes, request.source, request.jobs) { job, outcome in
            isSent = isSent && answer(job, outcome, request.id)
        }
        return isSent && send(.end(decodes: decodes), request.id)
    }

    private func answer(_ job: Int, _ outcome: PixelPipeline.Outcome, _ id: Int) -> Bool {
        switch outcome {
        case .same(let other): return send(.same(job: job, as: other), id)
        case .failed(let error): return send(.refused(job: job, Self.refusal(error)), id)
        case .made(let file, let isTurned, let notes):
            let descriptor = HelperConfinement.memoryFile()
            guard descriptor >= 0, Self.write(file, to: descriptor) else {
                if descriptor >= 0 { _ = close(descriptor) }
                return send(.refused(job: job, .processingFailed("no memory for the new picture")), id)
            }
            defer { _ = close(descriptor) }
            return send(.made(job: job, count: file.count, isTurned: isTurned, notes: notes), id, descriptor)
        }
    }

    private func send(_ answer: HelperAnswer, _ id: Int, _ descriptor: Int32? = nil) -> Bool {
        socket.send(answer.text(id: id), descriptor: descriptor)
    }

    private static func refusal(_ error: CodecError) -> ImageError {
        switch error {
        case .notPerfect: .processingFailed("the picture cannot be turned without loss")
        case .truncated: .truncated
        case .corrupt(let message): .corrupt(message)
        case .tooLarge(let message): .noRendition(message)
        case .failed(let message): .processingFailed(message)
        }
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size >= 0 else { return nil }
        var complete = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                // SAFETY: count is below size, which is the buffer's capacity.
                let got = unsafe pread(
                    descriptor,
                    UnsafeMutableRawPointer(buffer.baseAddress.map { unsafe $0 + count }),
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

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        // SAFETY: the buffer lives as long as the closure, and offsets stay below its count.
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = unsafe Glibc.write(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + written },
                    buffer.count - written
                )
                if count <= 0 { return false }
                written += count
            }
            return true
        }
    }
}

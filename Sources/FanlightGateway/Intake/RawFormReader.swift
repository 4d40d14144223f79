// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a body that is the picture itself; caption and choices stand in the query.
final class RawFormReader: UploadFormReader {
    private let writer: any SpoolWriter
    private let limits: IntakeLimits
    private let isPicture: Bool

    /// - Parameter isPicture: True when the client says that the body is a file, so that no bytes are an empty file.
    init(isPicture: Bool, spool: any Spool, limits: IntakeLimits) throws(Problem) {
        self.isPicture = isPicture
        guard let writer = spool.create() else { throw .spoolFull }
        if limits.hashes { writer.beginHash() }
        self.writer = writer
        self.limits = limits
    }

    deinit { writer.discard() }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        guard writer.count + bytes.count <= limits.maxBody else { throw .bodyTooLarge(limits.maxBody) }
        // SAFETY: the buffer is only passed on within this call.
        guard unsafe writer.append(bytes) else { throw .spoolFull }
    }

    func finish() throws(Problem) -> UploadForm {
        guard writer.count > 0 else {
            throw isPicture
                ? Problem(ImageError.empty) : Problem(.noPicture, "The body is empty. Send the picture's bytes.")
        }
        guard let file = writer.finish() else { throw .spoolFull }
        return UploadForm(pictures: [file])
    }
}

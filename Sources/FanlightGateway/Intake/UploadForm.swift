// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What one POST brought: pictures in the spool and text fields in order.
struct UploadForm: Sendable {
    var pictures: [SpooledFile] = []
    var fields: [HTTPField] = []
}

/// Takes one form of upload body, piece by piece.
///
/// A reader belongs to one request; the server calls it from one thread at a time.
protocol UploadFormReader: AnyObject {
    /// Takes the next bytes; throws where the body can already be refused.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(Problem)
    /// Ends the body.
    func finish() throws(Problem) -> UploadForm
}

/// Limits of an upload's body, and what is done on its way.
struct IntakeLimits: Sendable {
    /// Bytes of the whole body.
    var maxBody: Int
    /// Whether pictures are hashed on their way, which is cheaper than to read them again.
    var hashes = true
    /// Bytes of one text field.
    var maxField = 262_144
    /// Bytes of all text fields.
    var maxFields = 1_048_576
    /// Pictures of one request.
    var maxPictures = 20
}

extension Problem {
    static func bodyTooLarge(_ limit: Int) -> Problem {
        Problem(.tooLarge, "The body is larger than \(limit) bytes, the limit of this gateway (server.max_body).")
    }

    static func bodyNotWanted(_ limit: Int) -> Problem {
        Problem(
            .tooLarge,
            "This request needs no body; at most \(limit) bytes are taken. Pictures go to POST /v1/uploads."
        )
    }

    static let spoolFull = Problem(.unavailable, "The gateway cannot store the upload now. Try again later.")
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension Problem {
    /// What a client is told when the journal does not take or give what it should; paths stay here.
    init(_ error: JournalError) {
        let why =
            switch error {
            case .full: "the disk, or the room that the journal may take, is full"
            case .readOnly: "its folder cannot be written"
            case .moved: "its folder, or a file in it, was moved away or deleted"
            case .busy: "another program holds its file"
            case .closed: "the gateway is stopping"
            case .disk: "its disk reports errors"
            case .inUse, .newerVersion, .damaged, .wrongKey, .keyTaken, .failed: "its file cannot be used"
            }
        self.init(
            .journalUnavailable,
            "The gateway cannot use its journal: \(why). Nothing was taken and nothing sent; try again later."
        )
    }

    static let noSuchUpload = Problem(.notFound, "There is no upload of that id, or it is too old.")
    static let stopping = Problem(.stopping, "The gateway is stopping. Try again in a moment.")
    static let keyReused = Problem(
        .idempotencyKeyReused,
        "This Idempotency-Key came with another picture or other fields within the last 24 hours. Use a new key.",
        field: "Idempotency-Key"
    )
    static let nothingToRetry = Problem(
        .nothingToRetry,
        "No delivery of this upload failed or was skipped. One that is unknown is repeated with ?force=unknown only, because that may publish the picture twice."
    )
    static let pictureGone = Problem(
        .pictureGone,
        "The pictures of these deliveries are not kept any more, or none could be made. Upload the picture again."
    )
    static let uploadPending = Problem(
        .uploadPending,
        "Deliveries of this upload are under way. Delete it when they have their outcomes."
    )
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What an operator is told; paths and the library's own words stay out of the log.
extension JournalError {
    /// Bounded name of the reason.
    var name: String {
        switch self {
        case .full: "full"
        case .readOnly: "read_only"
        case .moved: "moved"
        case .busy: "locked"
        case .inUse: "in_use"
        case .newerVersion: "newer_version"
        case .damaged: "damaged"
        case .wrongKey: "wrong_key"
        case .keyTaken: "key_taken"
        case .closed: "closed"
        case .disk: "disk_error"
        case .failed: "other"
        }
    }

    /// What is wrong, and what helps.
    var advice: String {
        switch self {
        case .full:
            "The disk of server.state, or the room that journal.keep_size allows, is full: free space, or allow more."
        case .readOnly:
            "The journal's file or folder cannot be written: it needs the gateway's user as owner, on a disk that is not read-only."
        case .moved:
            "The state folder, or the journal's file, log, lock or key in it, was moved away, deleted or replaced: put it back as it was, or restart the gateway, which makes what is missing, empty."
        case .busy: "Another program holds the journal's file: end it (an open sqlite3 shell, a backup)."
        case .inUse: "Another gateway uses the state folder: give each gateway a folder of its own."
        case .newerVersion: "A newer version of the gateway wrote the journal: start that version."
        case .damaged:
            "The journal's file is damaged: stop the gateway, then restore the file, or move it away to begin a new history."
        case .wrongKey: "The journal was sealed with another key: set server.state_key as it was."
        case .keyTaken: "An upload with the same Idempotency-Key was taken at the same moment."
        case .closed: "The journal is closed, for the gateway is stopping."
        case .disk: "The disk of server.state reports errors: look at the system's log, and move to a sound disk."
        case .failed: "The journal's file cannot be used; the code is SQLite's, or the system's error number."
        }
    }

    /// The code of the library or of the system, where the reason is not clear without it.
    var code: Int32? {
        switch self {
        case .disk(let code), .failed(let code, _): code
        default: nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightJournal

/// Opens the journal that a configuration describes; what stops the gateway from starting is told in words.
enum StateJournal {
    /// Opens the journal, makes it when missing, and sweeps the spool.
    static func open(_ configuration: GatewayConfiguration, spool: any Spool) throws(CommandFailure) -> SQLiteJournal {
        let journal = configuration.journal
        let settings = JournalSettings(
            durability: journal.isFullyDurable ? .full : .relaxed,
            keepFor: journal.keepFor,
            keepBytes: journal.keepSize,
            picturesFor: journal.picturesFor,
            picturesBytes: journal.picturesSize
        )
        do throws(JournalError) {
            return try SQLiteJournal(
                state: configuration.server.state,
                key: journal.stateKey,
                settings: settings,
                spool: spool
            )
        } catch {
            throw CommandFailure(words(for: error))
        }
    }

    /// What is wrong and what to do.
    static func words(for error: JournalError) -> String {
        switch error {
        case .full:
            "the disk of the state folder is full; make room, or set server.state to another disk"
        case .readOnly(let path):
            "\(path) cannot be made or written; give the gateway's user the right, or set server.state"
        case .busy:
            "another program holds the journal's file; end it (an open sqlite3 shell, a backup), then start again"
        case .inUse(let path):
            "another gateway uses the state folder \(path); stop it, or set server.state to another folder"
        case .newerVersion(let found, let known, let path):
            "\(path) was written by a newer version (format \(found), this one knows \(known)); start that version, "
                + "or set server.state to another folder"
        case .damaged(let path, let reason):
            "\(path) cannot be read: \(reason); restore it, or move it away to begin a new history"
        case .wrongKey:
            "the journal was sealed with another key; set server.state_key (or state.key in the state folder) as it "
                + "was, or move journal.sqlite away to begin a new history"
        case .keyTaken, .closed, .moved:
            "the journal cannot be used"
        case .disk(let code):
            "the disk of the state folder reports errors (\(code)); set server.state to a sound disk"
        case .failed(let code, let reason):
            "the journal cannot be opened: \(reason) (\(code))"
        }
    }
}

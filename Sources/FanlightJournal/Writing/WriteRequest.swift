// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Something that is to be written.
struct WriteRequest: Sendable {
    /// What to do in the transaction.
    var work: @Sendable (JournalWriter) throws(JournalError) -> Void
    /// Told once: after the commit, or when it failed; `nil` = nobody waits.
    var done: (@Sendable (JournalError?) -> Void)?
    /// The outcomes in it, which must not be lost when the disk is full for a while.
    var owed: [JournalNote] = []

    /// Nothing of its own: what is owed is written, at once.
    static let empty = WriteRequest(work: { _ in }, done: { _ in })

    /// True when nothing is lost by writing it a little later, with something else.
    var isLazy: Bool { done == nil }
}

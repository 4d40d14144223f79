// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters

/// A place in the history as clients see it: with a sum, so that what no page gave is told from what one did.
enum HistoryCursor {
    /// Hexadecimal digits of the sum.
    private static let sumSize = 8

    /// What a client is given for the journal's own cursor.
    static func text(of place: String) -> String { place + sum(of: place) }

    /// The journal's own cursor; `nil` where no page gave this text.
    static func place(in text: String) -> String? {
        let place = String(text.dropLast(sumSize))
        return !place.isEmpty && text == self.text(of: place) ? place : nil
    }

    private static func sum(of place: String) -> Substring {
        ContentHash.sha256(of: Array(("fanlight cursor " + place).utf8)).prefix(sumSize)
    }
}

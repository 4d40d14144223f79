// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A fault asked for in the query: `?fail=500`, `?fail=30%`, `?fail=drop`, `?delay=250`.
struct SandboxFault {
    /// Milliseconds before the answer.
    var delay = 0
    /// Status instead of the real answer.
    var status: Int?
    /// The request is accepted as ever, but no answer comes.
    var drops = false

    init(_ query: [HTTPField]) {
        if let text = query.first(where: { $0.name == "delay" })?.value, let value = Int(text) {
            delay = max(0, min(value, 600_000))
        }
        guard let text = query.first(where: { $0.name == "fail" })?.value else { return }
        if text == "drop" {
            drops = true
        } else if text.hasSuffix("%"), let percent = Int(text.dropLast()) {
            if Int.random(in: 0..<100) < percent { status = 500 }
        } else {
            status = Int(text).flatMap { (100...599).contains($0) ? $0 : nil } ?? 500
        }
    }
}

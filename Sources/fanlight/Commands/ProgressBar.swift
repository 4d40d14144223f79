// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One line on a terminal that shows how much of a file has left; silent where standard error is no terminal.
struct ProgressBar: Sendable {
    /// Name of the file, cut from the left when long.
    let file: String
    /// For example `2/5`.
    let position: String

    /// Draws the line anew.
    func show(_ sent: Int, of size: Int) {
        guard Console.isTerminal, size > 0 else { return }
        Console.write(
            "\r" + Self.line(file: file, position: position, sent: sent, size: size) + "\u{1B}[K",
            to: STDERR_FILENO
        )
    }

    /// Takes the line away.
    func clear() {
        guard Console.isTerminal else { return }
        Console.write("\r\u{1B}[K", to: STDERR_FILENO)
    }

    private static func line(file: String, position: String, sent: Int, size: Int) -> String {
        let share = min(1, Double(sent) / Double(size))
        let filled = Int(share * 30)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        let state = share < 1 ? "\(Int(share * 100)) %" : "waiting for the report"
        return "[\(bar)] \(position) \(file.suffix(40)) \(state)"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Finds what somebody probably meant.
public enum NearestName {
    /// Returns the candidate with the fewest typing errors, without regard to case and to `-` against `_`.
    ///
    /// - Parameters:
    ///   - text: What was written; longer than 64 characters gives `nil`.
    ///   - candidates: Valid names; on a tie the first wins.
    /// - Returns: `nil` when none is within a third of its length (at least one error is always forgiven from three
    ///   characters on).
    public static func of(_ text: String, among candidates: [String]) -> String? {
        let word = folded(text)
        guard !word.isEmpty, word.count <= 64 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate.utf8.count <= 64 {
            let name = folded(candidate)
            let distance = distance(word, name)
            guard distance <= max(word.count, name.count) / 3, distance < (best?.distance ?? .max) else { continue }
            best = (candidate, distance)
        }
        return best?.name
    }

    private static func folded(_ text: String) -> [Character] {
        text.lowercased().map { $0 == "-" ? "_" : $0 }
    }

    /// Insertions, deletions, replacements and exchanges of neighbours (optimal string alignment).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var older: [Int] = []
        var old = Array(0...second.count)
        for row in 1..<(first.count + 1) {
            var new = [row]
            for column in 1..<(second.count + 1) {
                let isSame = first[row - 1] == second[column - 1]
                var cost = min(old[column] + 1, new[column - 1] + 1, old[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
                    cost = min(cost, older[column - 2] + 1)
                }
                new.append(cost)
            }
            older = old
            old = new
        }
        return old[second.count]
    }
}

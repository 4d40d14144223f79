// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// Lays one description over another.
enum Merge {
    /// Mappings are merged key by key at every depth, `~` removes a key, everything else replaces.
    static func over(_ base: Node, _ overlay: Node) -> Node {
        guard case .mapping(let upper) = overlay.content else { return overlay }
        var entries = base.entries
        for entry in upper {
            let index = entries.firstIndex { $0.key == entry.key }
            if entry.value.isNull {
                if let index { entries.remove(at: index) }
            } else if let index {
                entries[index] = Node.Entry(
                    key: entry.key,
                    position: entry.position,
                    value: over(entries[index].value, entry.value)
                )
            } else {
                entries.append(entry)
            }
        }
        return Node(.mapping(entries), at: overlay.position)
    }
}

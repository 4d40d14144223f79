// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// Lays one description over another.
enum Merge {
    /// Mappings are merged key by key at every depth, `~` removes a key, everything else replaces.
    ///
    /// An `auth` of another type keeps of the one below only what its own type knows, such as the name of the account.
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
                    value: over(
                        entry.key == "auth" ? known(entries[index].value, entry.value) : entries[index].value,
                        entry.value
                    )
                )
            } else {
                entries.append(entry)
            }
        }
        return Node(.mapping(entries), at: overlay.position)
    }

    private static func known(_ base: Node, _ overlay: Node) -> Node {
        guard let type = overlay["type"]?.text, base["type"]?.text != type,
            let section = AdapterFields.authSection(type)
        else { return base }
        return Node(.mapping(base.entries.filter { section.names.contains($0.key) }), at: base.position)
    }
}

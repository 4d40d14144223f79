// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// Lays one description over another.
enum Merge {
    /// Mappings are merged key by key at every depth, `~` removes a key, everything else replaces.
    ///
    /// An `auth` of another type keeps of the one below only what its own type knows, such as the name of the account.
    static func over(_ base: Node, _ overlay: Node) -> Node {
        guard case .mapping(let upper) = overlay.content else { return overlay }
        // A key that is removed leaves a gap, so that the places of the others stay.
        var entries: [Node.Entry?] = base.entries
        var places: [String: Int] = [:]
        for (index, entry) in base.entries.enumerated() { places[entry.key] = places[entry.key] ?? index }
        for entry in upper {
            let index = places[entry.key]
            if entry.value.isNull {
                if let index {
                    entries[index] = nil
                    places[entry.key] = nil
                }
            } else if let index, let below = entries[index]?.value {
                let base = entry.key == "auth" ? known(below, entry.value) : below
                entries[index] = Node.Entry(key: entry.key, position: entry.position, value: over(base, entry.value))
            } else {
                places[entry.key] = entries.count
                entries.append(entry)
            }
        }
        return Node(.mapping(entries.compactMap { $0 }), at: overlay.position)
    }

    private static func known(_ base: Node, _ overlay: Node) -> Node {
        guard let type = overlay["type"]?.text, base["type"]?.text != type,
            let section = AdapterFields.authSection(type)
        else { return base }
        return Node(.mapping(base.entries.filter { section.names.contains($0.key) }), at: base.position)
    }
}

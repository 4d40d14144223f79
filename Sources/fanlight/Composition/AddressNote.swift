// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address of a running gateway, where `fanlight health` finds it.
///
/// It lies in the state folder, for config.yaml may have been changed since the gateway was started; and, under the name of
/// the configuration, in a folder of the user's own among the temporary files, for a configuration that is broken or gone
/// does not tell the state folder any more.
struct AddressNote {
    /// Names of the configuration among the temporary files: where its path leads, and where the path itself stands.
    private let names: [String]
    /// The state folder; `nil` where the configuration does not tell it.
    private let state: String?

    /// Knows the place of the note.
    ///
    /// - Parameters:
    ///   - configuration: The configuration's file, in any spelling; it may be gone.
    ///   - state: The state folder; `nil` where the configuration does not tell it.
    init(configuration: String, state: String?) {
        names = RealPath.names(of: configuration).map(Self.name)
        self.state = state
    }

    /// Notes the address, as far as that can be; without a note, config.yaml is asked.
    func write(_ url: String) {
        for path in paths(makesFolder: true) { _ = Files.write(Array((url + "\n").utf8), to: path) }
    }

    /// Forgets it at the end.
    func remove() {
        for path in paths(makesFolder: false) { Files.remove(path) }
        // Goes only when no other gateway has a note in it.
        if let folder = Self.ownFolder(isMade: false) { _ = unsafe rmdir(folder) }
    }

    /// The address that a gateway noted; `nil` = none is there.
    func read() -> String? {
        paths(makesFolder: false).lazy.compactMap { path -> String? in
            guard let bytes = Files.readRegular(path, limit: 4_096) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
            return text.flatMap { $0.hasPrefix("http://") ? $0 : nil }
        }.first
    }

    private func paths(makesFolder: Bool) -> [String] {
        let folder = Self.ownFolder(isMade: makesFolder)
        let own = folder.map { folder in names.map { folder + "/" + $0 } } ?? []
        return (state.map { [$0 + "/address"] } ?? []) + own
    }

    /// The user's folder among the temporary files; `nil` when it is not only the user's, who could be led astray then.
    private static func ownFolder(isMade: Bool) -> String? {
        let path = (Environment.value("TMPDIR") ?? "/tmp") + "/fanlight-\(geteuid())"
        if isMade { _ = unsafe mkdir(path, 0o700) }
        var facts = stat()
        // SAFETY: the string and the structure live through the call.
        guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(),
            facts.st_mode & 0o077 == 0
        else { return nil }
        return path
    }

    /// A name that only this path has, for all that can be expected (FNV-1a of 64 bits).
    private static func name(of path: String) -> String {
        let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "address-" + String(hash, radix: 16)
    }
}

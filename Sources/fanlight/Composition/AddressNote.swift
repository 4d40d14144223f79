// SPDX-License-Identifier: Apache-2.0

/// The address of a running gateway, in its state folder.
///
/// `fanlight health` reads it, for config.yaml may have been changed, or broken, since the gateway was started.
enum AddressNote {
    private static func path(_ state: String) -> String { state + "/address" }

    /// Notes the address; without the note, config.yaml is asked.
    static func write(_ url: String, in state: String) {
        _ = Files.write(Array((url + "\n").utf8), to: path(state))
    }

    /// Forgets it at the end.
    static func remove(from state: String) { Files.remove(path(state)) }

    /// The address that a gateway with this state folder noted; `nil` = none is there.
    static func read(from state: String) -> String? {
        guard let bytes = Files.readRegular(path(state), limit: 4_096) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
        return text.flatMap { $0.hasPrefix("http://") ? $0 : nil }
    }
}

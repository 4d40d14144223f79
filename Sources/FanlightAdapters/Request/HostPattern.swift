// SPDX-License-Identifier: Apache-2.0

/// A host that credentials or captured URLs may go to.
struct HostPattern: Sendable, Equatable {
    /// Lower case; `*.example.org` matches every name below, `*` every host.
    var name: String
    /// `nil` = any port for a pattern without scheme; else that port.
    var port: Int?
    /// True where plain http is allowed, because it was written so.
    var allowsPlain = false

    /// The host of a URL, with its port and scheme.
    init(_ address: WebAddress) {
        name = address.host
        port = address.port
        allowsPlain = address.scheme == "http"
    }

    /// Reads `host`, `*.host`, `host:port` or the beginning of a URL; `nil` for anything else.
    init?(_ text: String) {
        if text.contains("://") {
            guard let address = WebAddress(text) else { return nil }
            name = address.host
            port = address.port
            allowsPlain = address.scheme == "http"
            return
        }
        guard let address = WebAddress("https://" + text), address.path == "/", !text.contains("/") else { return nil }
        let isWild = text == "*" || (text.hasPrefix("*.") && text.count > 2)
        guard isWild || !text.contains("*") else { return nil }
        name = address.host
        port = text.hasSuffix(":" + String(address.port)) ? address.port : (isWild ? nil : 443)
    }

    /// True when an address is meant; private ones only where the host is written out.
    func matches(_ address: WebAddress) -> Bool {
        guard port == nil || port == address.port, address.scheme == "https" || allowsPlain else { return false }
        if name == address.host { return true }
        guard name.hasPrefix("*"), !address.isPrivate else { return false }
        return name == "*" || address.host.hasSuffix(name.dropFirst())
    }
}

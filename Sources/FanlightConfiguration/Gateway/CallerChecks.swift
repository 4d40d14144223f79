// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Values of `server` about clients that no field type alone can check.
enum CallerChecks {
    /// Reads proxies and origins, and compares bounds with each other.
    static func read(_ values: FieldValues, into settings: inout ServerSettings, diagnostics: inout [Diagnostic]) {
        func refuse(_ key: String, _ index: Int? = nil, _ message: String) {
            guard let node = values.given[key] else { return }
            let item = index.flatMap { node.items.indices.contains($0) ? node.items[$0] : nil } ?? node
            diagnostics.append(Diagnostic(at: item.position, "server.\(key): expected \(message)"))
        }
        for (index, text) in (values.texts("trusted_proxies") ?? []).enumerated()
        where !settings.trustedProxies.insert(text) {
            refuse("trusted_proxies", index, "an address or a network, such as 127.0.0.1 or 10.0.0.0/8")
        }
        for (index, text) in (values.texts("cors") ?? []).enumerated() {
            let origin = text == "*" ? text : (try? ValueReader.baseURL(text))?.lowercased()
            if let origin, origin == "*" || origin.count(where: { $0 == "/" }) == 2 {
                settings.cors.append(origin)
            } else {
                refuse("cors", index, "origins without a path, such as https://app.example, or '*'")
            }
        }
        if settings.maxSpool > 0, settings.maxSpool < settings.maxBody, values.given["max_spool"] != nil {
            refuse("max_spool", nil, "at least max_body, or 0 for no bound")
        }
    }
}

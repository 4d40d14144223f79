// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// The `notify` section: the webhook that is told about finished uploads.
public struct NotifyConfiguration: Sendable, Equatable {
    /// http or https URL that takes a POST.
    public var url: String
    /// Signs the calls.
    public var secret: Secret
    /// Calls in all before one is given up.
    public var attempts: Int

    /// Keys under `notify`.
    static let section = Section(
        "notify",
        [
            FieldSpec("url", .text, required: true, "Address that gets a POST with the report of each finished upload"),
            FieldSpec(
                "secret",
                .secret,
                required: true,
                "Signs the calls (HMAC-SHA256), so that the receiver knows who sent them"
            ),
            FieldSpec("attempts", .integer(1...100), default: "12", "Calls in all before one is given up"),
        ]
    )

    /// Reads the section; `nil` without one, and where something is wrong.
    static func read(_ node: Node?, references: References, diagnostics: inout [Diagnostic]) -> NotifyConfiguration? {
        guard let node, !node.isNull else { return nil }
        let values = section.decode(node, references: references, diagnostics: &diagnostics)
        guard case .mapping = node.content else { return nil }
        let url = values.text("url")
        for name in ["url", "secret"] where node[name]?.isNull ?? true {
            diagnostics.append(Diagnostic(at: node.position, "notify: '\(name)' is missing"))
        }
        if let url, !isWeb(url) {
            let place = node["url"]?.position ?? node.position
            diagnostics.append(
                Diagnostic(at: place, "notify.url: expected an http or https URL, such as https://example.org/hook")
            )
        }
        guard let url, let secret = values.text("secret") else { return nil }
        return NotifyConfiguration(url: url, secret: Secret(secret), attempts: values.integer("attempts"))
    }

    private static func isWeb(_ url: String) -> Bool {
        ["http://", "https://"].contains { url.lowercased().hasPrefix($0) && url.count > $0.count }
            && !url.contains(where: \.isWhitespace)
    }
}

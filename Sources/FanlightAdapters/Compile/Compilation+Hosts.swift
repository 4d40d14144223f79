// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Where a URL leads, as far as it is known when the configuration is loaded.
struct Destination {
    /// Host, port and scheme, where no reply decides about them; `nil` where they are not known yet.
    var address: WebAddress?
    /// True where a reply decides about the host.
    var isCaptured = false
    /// True where the login's reply decides about it.
    var isSession = false
}

extension Compilation {
    /// Where each alternative of a URL leads.
    ///
    /// Nothing that a client gives may choose the host.
    func destinations(of url: Choice, _ node: Node) -> [Destination] {
        url.list.flatMap { alternative -> [Destination] in
            if case .literal(let text)? = alternative.template.segments.first, text.hasPrefix("/"),
                !text.hasPrefix("//")
            {
                guard let base else {
                    if gaps == 0, !isDraft { error(node, "a URL that begins with '/' needs 'base'") }
                    return []
                }
                return base.list.map { destination(of: $0.template, node, reports: false) }
            }
            return [destination(of: alternative.template, node, reports: true)]
        }
    }

    private func destination(of template: Template, _ node: Node, reports: Bool) -> Destination {
        var prefix = ""
        var found = Destination()
        var isKnown = true
        for segment in template.segments {
            if Self.hasWholeHost(prefix) { break }
            switch segment {
            case .literal(let text): prefix += text
            case .expression(let expression):
                switch expression.variable {
                case .setting(let name):
                    let value = settings[name]?.shown
                    isKnown = isKnown && value != nil
                    prefix += value ?? (prefix.isEmpty ? "https://setting" : "setting")
                case .plain(.publicURL):
                    isKnown = false
                    prefix += "https://gateway"
                case .capture, .session:
                    found.isCaptured = true
                    if case .session = expression.variable { found.isSession = true }
                    return found
                default:
                    if reports {
                        let source = expression.source
                        error(node, "the host of a URL may come from settings and replies only, not from '\(source)'")
                    }
                    return found
                }
            }
        }
        let address = WebAddress(prefix)
        if reports, address == nil, isKnown, gaps == 0 {
            error(node, "expected an absolute http or https URL without credentials")
        }
        if isKnown { found.address = address }
        return found
    }

    /// True when the path of a URL has begun.
    private static func hasWholeHost(_ prefix: String) -> Bool {
        guard let authority = LinkRules.authority(of: prefix), !authority.isEmpty else { return false }
        return prefix.count > authority.count + (prefix.lowercased().hasPrefix("https") ? 8 : 7)
    }

    /// Warns where a client's text goes into a URL as it is: `?`, `#`, `/` and blanks in it would count as such.
    func checkEncoding(of url: Choice, _ node: Node) {
        for segment in url.list.flatMap(\.template.segments) {
            guard case .expression(let expression) = segment, takesText(expression.variable),
                !expression.filters.contains(where: \.fitsURL)
            else { continue }
            let name = expression.source
            warning(node, "'\(name)' goes into the URL as the client writes it; write ${\(name)|urlencode}")
        }
    }

    /// True where a client may give any characters.
    private func takesText(_ variable: Variable) -> Bool {
        guard case .option(let name) = variable else { return variable.isClients }
        switch options.first(where: { $0.name == name })?.type {
        case .text, .url, nil: return true
        case .int, .bool, .choice: return false
        }
    }

    /// Reads a list of hosts, in which settings may stand.
    func hosts(_ node: Node?) -> [HostPattern] {
        guard let node, !node.isNull else { return [] }
        let items = node.items.isEmpty ? [node] : node.items
        return items.compactMap { item -> HostPattern? in
            guard let template = template(item) else { return nil }
            var text = ""
            for segment in template.segments {
                switch segment {
                case .literal(let piece): text += piece
                case .expression(let expression):
                    guard case .setting(let name) = expression.variable else {
                        error(item, "a host may come from settings only")
                        return nil
                    }
                    guard let value = settings[name]?.shown else { return nil }
                    text += value
                }
            }
            if let pattern = HostPattern(text) { return pattern }
            if gaps == 0 { error(item, "expected a host, such as api.example.org or *.example.org") }
            return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Ready-to-paste forms of a report's links.
public enum TextFormat: String, Sendable, CaseIterable {
    case text, markdown, html, bbcode, rst

    /// Media type of the form.
    public var contentType: String { (self == .html ? "text/html" : "text/plain") + "; charset=utf-8" }

    /// Renders one line a link, escaped for the form; empty when nothing was delivered.
    public func render(_ report: Report) -> String {
        report.links.map { line(service: $0.service, link: $0.link) + "\n" }.joined()
    }

    /// What stands instead of links when there are none: why, as a comment of the form.
    func withoutLinks(_ reports: [Report]) -> String {
        reports.flatMap(\.deliveries).map { entry in
            let why = entry.failure.map { ": \($0.kind.rawValue): \($0.message)" } ?? ""
            return comment("\(entry.service): \(entry.status.rawValue)\(why)") + "\n"
        }.joined()
    }

    private func comment(_ text: String) -> String {
        switch self {
        case .text: "# \(text)"
        case .markdown, .html: "<!-- \(Self.entities(text).split(separator: "--").joined(separator: "- -")) -->"
        case .bbcode: "# \(Self.percent(text, "[]"))"
        case .rst: ".. \(text)"
        }
    }

    private func line(service: String, link: String) -> String {
        switch self {
        case .text: link
        case .markdown: "![\(Self.escape(service, "[]\\*_`"))](\(Self.percent(link, "()<> ")))"
        case .html:
            "<a href=\"\(Self.entities(link))\"><img src=\"\(Self.entities(link))\" alt=\"\(Self.entities(service))\"></a>"
        case .bbcode: "[img]\(Self.percent(link, "[] "))[/img]"
        case .rst: ".. image:: \(Self.percent(link, " "))"
        }
    }

    // Code points, not characters: a quotation mark with a combining mark behind it is one character to Swift, and ends
    // an attribute all the same.

    private static func escape(_ text: String, _ special: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if special.unicodeScalars.contains(scalar) { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
    }

    private static func percent(_ text: String, _ special: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if special.unicodeScalars.contains(scalar), scalar.isASCII {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "%" + (digits.count < 2 ? "0" : "") + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func entities(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

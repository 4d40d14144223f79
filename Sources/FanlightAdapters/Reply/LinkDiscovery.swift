// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Finds the link in a reply that nobody described.
enum LinkDiscovery {
    private static let paths = [
        "$.link", "$.url", "$.data.link", "$.data.url", "$.image.url", "$.files[0].url", "$.file.url",
    ]
    .compactMap { JSONPath($0) }

    /// The first of the usual places that holds an absolute http or https URL.
    static func link(in document: ReplyDocument) -> String? {
        if let json = document.json {
            return paths.lazy.compactMap { $0.value(in: json)?.string }.first { LinkRules.isAbsolute($0) }
        }
        let text = Words.trimmed(document.text)
        if LinkRules.isAbsolute(text), !text.contains(where: \.isWhitespace) { return text }
        if let found = document.xml?.first("//mediaurl|//url", where: LinkRules.isAbsolute) { return found }
        if text.isEmpty, let place = document.reply.header("Location"), LinkRules.isAbsolute(place) { return place }
        return nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A reply, decoded and parsed at most once for each language that extractors ask for.
final class ReplyDocument {
    /// As received.
    let reply: HTTPReply
    /// The body as text, without a byte-order mark.
    lazy var text: String = Self.decode(reply)
    /// The body as JSON; `nil` when it is not exactly one value.
    lazy var json: JSONValue? = try? JSONParser.parse(Array(text.utf8))
    /// The body as XML; `nil` when it is not well-formed.
    lazy var xml: XMLReply? = XMLReply(text)

    /// Wraps a reply.
    init(_ reply: HTTPReply) { self.reply = reply }

    /// Stands for a reply where there is none.
    static var nothing: ReplyDocument {
        ReplyDocument(HTTPReply(status: 0, headers: [], body: [], finalURL: ""))
    }

    /// URL that answered; of a redirect, which is not followed, its target.
    var finalURL: String {
        guard (300..<400).contains(reply.status), let place = reply.header("Location").map({ Words.trimmed($0) }),
            !place.isEmpty
        else { return reply.finalURL }
        if LinkRules.isAbsolute(place) { return place }
        guard let here = WebAddress(reply.finalURL) else { return place }
        let root = here.scheme + "://" + here.hostHeader
        if place.hasPrefix("//") { return here.scheme + ":" + place }
        if place.hasPrefix("/") { return root + place }
        let folder = here.path.prefix(through: here.path.lastIndex(of: "/") ?? here.path.startIndex)
        return root + folder + place
    }

    /// Lines without their ends.
    var lines: [String] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }.map(String.init)
    }

    /// Decodes by byte-order mark, declared charset, XML declaration; else UTF-8 with replacement characters.
    private static func decode(_ reply: HTTPReply) -> String {
        let body = reply.body
        // Most replies: the same text in each of the character sets.
        if body.allSatisfy({ $0 < 0x80 }) { return String(decoding: body, as: UTF8.self) }
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: body.dropFirst(3), as: UTF8.self) }
        let declared = reply.header("Content-Type")?.lowercased() ?? ""
        let head = String(decoding: body.prefix(100), as: UTF8.self).lowercased()
        let isXML = head.hasPrefix("<?xml")
        let names = ["iso-8859-1", "latin1", "latin-1", "iso8859-1", "windows-1252", "cp1252"]
        let isLatin = names.contains { name in
            declared.contains("charset=" + name) || declared.contains("charset=\"" + name)
                || (isXML && !declared.contains("charset=") && head.contains(name))
        }
        guard isLatin else { return String(decoding: body, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        for byte in body { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ShareXImport {
    /// Where the links, and the words of a failure, stand in the reply.
    mutating func makeReply() {
        let redirects = [descriptor.link, descriptor.thumbnail, descriptor.deletion].contains { text in
            descriptor.dialect.pieces(text).pieces.contains { Self.readsRedirect($0) }
        }
        if redirects {
            // ShareX follows redirects; the gateway reads where they lead.
            draft.reply.append(.init("ok", ["status in 200,201,202,203,204,301,302,303"]))
        } else if !descriptor.link.isEmpty,
            !descriptor.dialect.pieces(descriptor.link).pieces.contains(where: Self.readsReply)
        {
            // A link that the reply says nothing about: its status alone has to speak for it.
            draft.reply.append(.init("ok", ["status in 200,201,202,203,204"]))
        }
        if !descriptor.errorMessage.isEmpty, let message = source(descriptor.errorMessage, named: "ErrorMessage") {
            draft.reply.append(.init("error", .object([.init("message", message)])))
        }
        let link = descriptor.link.isEmpty ? JSONValue.string("text") : source(descriptor.link, named: "URL")
        if let link { draft.reply.append(.init("link", link)) }
        if let value = source(descriptor.thumbnail, named: "ThumbnailURL") {
            draft.reply.append(.init("thumbnail", value))
        }
        if let value = source(descriptor.deletion, named: "DeletionURL") {
            draft.reply.append(.init("delete_url", value))
        }
    }

    private static func readsReply(_ piece: ShareXPiece) -> Bool {
        guard case .call(let name, _) = piece else { return false }
        return ["json", "xml", "regex", "header", "response", "responseurl"].contains(name)
    }

    private static func readsRedirect(_ piece: ShareXPiece) -> Bool {
        guard case .call(let name, let arguments) = piece else { return false }
        if name == "responseurl" { return true }
        return name == "header" && literal(arguments)?.lowercased() == "location"
    }

    /// One extractor where the text is nothing else, otherwise a template over saved values.
    private mutating func source(_ text: String, named name: String) -> JSONValue? {
        if text.isEmpty { return nil }
        let pieces = descriptor.dialect.pieces(text).pieces
        if pieces.count == 1, case .call(let function, let arguments) = pieces[0],
            let found = extractors(function, arguments, named: name)
        {
            if case .places(let places) = found {
                return places.count == 1 ? .string(places[0]) : .array(places.map { .string($0) })
            }
            return .string(reference(found))
        }
        let template = self.text(text, .reply, named: name)
        if template.isEmpty { return nil }
        // A text without values and without a slash would be taken for an extractor.
        return .string(template)
    }

    /// What a function reads: places of the reply, or a template over one that was saved.
    enum Found {
        case places([String])
        case template(String)
    }

    /// A template of what was found.
    mutating func reference(_ found: Found) -> String {
        switch found {
        case .places(let places): "${" + draft.save(places) + "}"
        case .template(let template): template
        }
    }

    /// Where a function of a reply reads; `nil` when the adapter language cannot say it, which is remarked.
    mutating func extractors(_ function: String, _ arguments: [[ShareXPiece]], named name: String) -> Found? {
        switch function {
        case "response": return .places(["text"])
        case "responseurl": return .places(["header Location", "final_url"])
        case "header":
            guard let header = arguments.first.map({ plain($0) }), !header.isEmpty, !header.contains(" ") else {
                return nothing("\(name): {header} without a name is left out")
            }
            return .places(["header " + header])
        case "json", "xml":
            guard let last = arguments.last, isReply(arguments.dropLast().last) else {
                return nothing("\(name): {\(function)} of anything but the reply cannot be said; left out")
            }
            return function == "json" ? jsonPath(plain(last), named: name) : xpath(plain(last), named: name)
        case "regex": return pattern(arguments, named: name)
        default: return nil
        }
    }

    private mutating func nothing(_ remark: String) -> Found? {
        draft.remark(remark)
        return nil
    }

    /// True for the whole reply, named or not.
    private func isReply(_ pieces: [ShareXPiece]?) -> Bool {
        guard let pieces else { return true }
        return pieces == [.call(name: "response", arguments: [])]
    }

    private mutating func jsonPath(_ source: String, named name: String) -> Found? {
        var path = source
        if path.hasPrefix("$") { path = String(path.dropFirst()) }
        if path.hasPrefix("."), !path.hasPrefix("..") { path = String(path.dropFirst()) }
        let full = path.hasPrefix("[") || path.hasPrefix("..") ? "$" + path : "$." + path
        guard JSONPath(full) != nil else { return nothing("\(name): the path \(source) cannot be said; left out") }
        return .places([full])
    }

    private mutating func xpath(_ source: String, named name: String) -> Found? {
        let path = source.hasPrefix("/") ? source : "/" + source
        guard XMLReply.isValid(path) else { return nothing("\(name): the XPath \(source) cannot be said; left out") }
        return .places([path])
    }

    private mutating func pattern(_ arguments: [[ShareXPiece]], named name: String) -> Found? {
        var source: String
        var group: String?
        var input: [ShareXPiece]?
        if descriptor.dialect == .braces {
            if arguments.count > 2 { input = arguments[0] }
            let own = input == nil ? arguments[...] : arguments.dropFirst()
            source = own.first.map { plain($0) } ?? ""
            group = own.dropFirst().first.map { plain($0) }
        } else {
            let number = arguments.first.flatMap { Int(plain($0)) } ?? 0
            guard descriptor.patterns.indices.contains(number - 1) else {
                return nothing("\(name): RegexList has no item \(number); left out")
            }
            source = descriptor.patterns[number - 1]
            group = arguments.dropFirst().first.map { plain($0) }
        }
        guard let pattern = PatternGroups.selecting(group, of: source) else {
            return nothing("\(name): the pattern \(source) or its group cannot be said; left out")
        }
        guard let input, !isReply(input) else { return .places(["regex " + pattern]) }
        guard input.count == 1, case .call(let inner, let nested) = input[0],
            let place = extractors(inner, nested, named: name),
            let quote = ["\"", "'"].first(where: { !pattern.contains($0) })
        else { return nothing("\(name): a pattern over several values cannot be said; left out") }
        guard case .places(let places) = place else {
            return nothing("\(name): a pattern over a pattern cannot be said; left out")
        }
        return .template("${\(draft.save(places))|match:\(quote)\(pattern)\(quote)}")
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    /// Reads how replies to a request are judged; what a step does not say, the service says.
    ///
    /// - Parameter service: The node of the service, where `node` is that of a step.
    func reply(_ node: Node, inheriting service: Node? = nil) -> ReplyProgram {
        var reply = ReplyProgram()
        func own(_ key: String) -> Node? { [node[key], service?[key]].compactMap { $0 }.first { !$0.isNull } }
        reply.save = saveRules(node["save"])
        reply.ok = predicate(own("ok"))
        reply.error = errorRules(own("error"))
        reply.recover = (node["recover"]?.items ?? []).compactMap { recoverRule($0) }
        if let recover = node["recover"], !recover.isNull, recover.items.isEmpty {
            error(recover, "recover is a list of rules")
        }
        if let rule = waiting(own("retry_after"), in: "retry_after") { reply.waits.append(rule) }
        let rate = own("rate_limit")
        checkKeys(of: rate, AdapterFields.rateLimit)
        reply.remaining = sources(rate?["remaining"])
        reply.reset = waiting(rate?["reset"], in: "rate_limit.reset")
        return reply
    }

    /// Reads `save:`; the names mean something from here on.
    func saveRules(_ node: Node?) -> [SaveRule] {
        namedSources(node, in: "save") { self.names.captures.insert($0) }
    }

    /// Reads names with extractors or templates.
    ///
    /// - Parameter known: Told each name once its value is read; those after it can name it.
    func namedSources(_ node: Node?, in place: String, known: (String) -> Void = { _ in }) -> [SaveRule] {
        guard let node, !node.isNull else { return [] }
        guard case .mapping(let entries) = node.content else {
            error(node, "\(place) is a mapping of names to extractors")
            return []
        }
        return entries.compactMap { entry in
            let isName = !entry.key.isEmpty && entry.key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            if !isName { error(at: entry.position, "'\(entry.key)' is no name; use letters, digits and _") }
            let value = sources(entry.value)
            known(entry.key)
            return value.map { SaveRule(name: entry.key, value: $0) }
        }
    }

    private func recoverRule(_ node: Node) -> RecoverRule? {
        guard checkKeys(of: node, AdapterFields.recover) else { return nil }
        if Self.lacks(node, "when") { error(node, "recover needs 'when'") }
        let when = predicate(node["when"])
        let name = word(node["as"], among: ["duplicate", "delivered"], "as") ?? "delivered"
        let save = node["save"].map { saveRules($0) }
        for key in ["link", "page"] where node[key] != nil { names.captures.insert(key) }
        let link = sources(node["link"])
        let page = sources(node["page"])
        return when.map { RecoverRule(when: $0, name: name, save: save, link: link, page: page) }
    }

    /// Reads `error:`.
    func errorRules(_ node: Node?) -> ErrorRules {
        checkKeys(of: node, AdapterFields.error)
        var rules = ErrorRules(message: sources(node?["message"]), code: sources(node?["code"]))
        for entry in mapping(node?["kinds"], "kinds", of: "codes to kinds of failure") {
            guard let name = entry.value.text, let kind = ErrorKind(rawValue: name) else {
                let names = ErrorKind.allCases.map(\.rawValue)
                let nearest = NearestName.of(entry.value.text ?? "", among: names)
                error(
                    entry.value,
                    "unknown error kind '\(entry.value.text ?? "")'"
                        + (nearest == nil ? "; one of " + names.joined(separator: ", ") : Self.hint(nearest))
                )
                continue
            }
            if entry.key.hasPrefix("~") {
                let source = String(entry.key.dropFirst())
                if let problem = Pattern.problem(source) { error(at: entry.position, problem) }
                if let pattern = Pattern(source) { rules.patterns.append((pattern, kind)) }
            } else {
                rules.kinds[entry.key] = kind
            }
        }
        return rules
    }

    /// The entries of what must be a mapping.
    func mapping(_ node: Node?, _ name: String, of what: String) -> [Node.Entry] {
        guard let node, !node.isNull else { return [] }
        guard case .mapping(let entries) = node.content else {
            error(node, "\(name) is a mapping of \(what)")
            return []
        }
        return entries
    }

    /// Reads an extractor with a unit: `retry_after`, `rate_limit.reset`, `expires_at`.
    func waiting(_ node: Node?, in place: String, unit standard: WaitRule.Unit = .seconds) -> WaitRule? {
        guard let node, !node.isNull else { return nil }
        guard case .mapping = node.content else {
            return sources(node).map { WaitRule(from: $0, unit: standard) }
        }
        checkKeys(of: node, AdapterFields.wait, in: place)
        let names = WaitRule.Unit.allCases.map(\.rawValue)
        let unit = word(node["unit"], among: names, "unit").flatMap { WaitRule.Unit(rawValue: $0) } ?? standard
        if Self.lacks(node, "from") { error(node, "\(place) needs 'from'") }
        return sources(node["from"]).map { WaitRule(from: $0, unit: unit) }
    }

    /// Reads one of several words.
    func word(_ node: Node?, among words: [String], _ name: String) -> String? {
        guard let node, !node.isNull, let text = text(node) else { return nil }
        if words.contains(text) { return text }
        error(
            node,
            "\(name) is one of \(words.joined(separator: ", "))" + Self.hint(NearestName.of(text, among: words))
        )
        return nil
    }

    /// Reads what a delivery gives back.
    func result(_ node: Node) -> ResultProgram {
        for key in ["link", "page", "id", "thumbnail"] where node[key].map({ !$0.isNull }) ?? false {
            names.captures.insert(key)
        }
        var result = ResultProgram()
        result.link = sources(node["link"])
        result.page = sources(node["page"])
        result.thumbnail = sources(node["thumbnail"])
        result.id = sources(node["id"])
        result.deleteURL = sources(node["delete_url"])
        if result.deleteURL != nil { names.captures.insert("delete_url") }
        result.expiresAt = waiting(node["expires_at"], in: "expires_at", unit: .timestamp)
        result.visibility = visibility(node["visibility"])
        result.more = namedSources(node["links"], in: "links")
        return result
    }

    /// A word, alternatives of which each may be one, or where the reply has it.
    private func visibility(_ node: Node?) -> Sources? {
        guard let node, !node.isNull else { return nil }
        let nodes = node.items.isEmpty ? [node] : node.items
        let list = nodes.compactMap { item -> Source? in
            guard let word = (item["value"] ?? item).text, AdapterFields.visibilities.contains(word) else {
                return sources(item.items.isEmpty ? Node(.sequence([item]), at: item.position) : item)?.list.first
            }
            let source = Source.template(Template(segments: [.literal(word)]))
            return predicate(item["when"]).map { .when($0, source) } ?? source
        }
        return Sources(list: list)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension CompiledService {
    /// The links that a delivery gives back; a success needs a link, a page or an identifier.
    ///
    /// - Parameter document: The last reply.
    func links(_ document: ReplyDocument, _ start: Scope) -> Result<DeliveryLinks, DeliveryFailure> {
        var collector = LinkCollector(scope: start, document: document, hidden: hidingInLinks(start))
        var links = DeliveryLinks()
        links.link = collector.link(result.link, "link")
        if collector.refused {
            return .failure(badReply(document, "the reply holds a link that cannot be passed on", start))
        }
        links.page = collector.link(result.page, "page")
        if result.isSilent(start.captures) {
            links.link = LinkDiscovery.link(in: document).flatMap { LinkRules.accepted($0, hiding: collector.hidden) }
        }
        links.remoteID = collector.identifier(result.id)
        guard links.link != nil || links.page != nil || links.remoteID != nil else {
            let reason =
                if collector.refused {
                    "the reply holds a link that cannot be passed on"
                } else {
                    document.text.isEmpty ? "the reply is empty" : "no link in the reply"
                }
            return .failure(badReply(document, reason, start))
        }
        links.thumbnail = collector.link(result.thumbnail, "thumbnail")
        links.deleteURL = collector.link(result.deleteURL, "delete_url")
        if let rule = result.expiresAt {
            collector.scope.captures["expires_at"] = rule.from.value(in: collector.scope, document)
            links.expiresAt = Waiting.moment(rule, document, collector.scope)
        }
        links.visibility = collector.word(result.visibility, "visibility")
        links.more = result.more.compactMap { rule in
            collector.link(rule.value, rule.name).map { HTTPField(rule.name, $0) }
        }
        links.captures = collector.scope.captures.compactMapValues(\.shown)
        // What the gateway keeps itself, it can remove.
        links.deletable = store != nil
        if let delete { prepare(delete, &links, collector.scope) }
        return .success(links)
    }

    /// Keeps what the deletion needs and cannot know later, and finds out whether it can be built.
    private func prepare(_ delete: StepProgram, _ links: inout DeliveryLinks, _ start: Scope) {
        for variable in Set(delete.request.variables) {
            switch variable {
            case .setting, .session, .capture, .plain(.now), .plain(.networkError): continue
            default: links.captures[Scope.keptName(variable)] = start.value(of: variable)?.shown ?? ""
            }
        }
        var scope = start
        scope.showsPlaceholders = session != nil
        links.deletable = (try? delete.request.request(in: scope, timeouts: timeouts)) != nil
    }

    /// A reply that is none: with its status, what is wrong with it, and how it begins.
    func badReply(_ document: ReplyDocument, _ reason: String, _ scope: Scope) -> DeliveryFailure {
        let excerpt = Excerpt.of(document.text, hiding: hiding(scope), limit: 160)
        let message = "HTTP \(document.reply.status), \(reason)" + (excerpt.isEmpty ? "" : ": " + excerpt)
        return DeliveryFailure(kind: .badReply, message: message, httpStatus: document.reply.status, retry: .never)
    }

    /// What no message may hold: secrets with those forms in which they travel, the session, and saved tickets.
    func hiding(_ scope: Scope) -> Redaction {
        let tickets = scope.captures.filter { Self.isTelling($0.key) }.values.compactMap(\.shown)
        return hidingInLinks(scope, in: redaction)
            .adding(secrets: tickets + scope.session.values.compactMap(\.shown).filter { $0.utf8.count >= 8 })
    }

    /// What no link may hold: a link may well end in a ticket that deletes the picture, but not in a credential.
    func hidingInLinks(_ scope: Scope) -> Redaction { hidingInLinks(scope, in: linkRedaction) }

    private func hidingInLinks(_ scope: Scope, in known: Redaction) -> Redaction {
        var pairs: [String] = []
        for step in steps {
            guard case .basic(let username, let password) = step.request.authorization,
                let user = try? username.text(in: scope), let word = try? password.text(in: scope)
            else { continue }
            let pair = user + ":" + word
            if !pairs.contains(pair) { pairs += [pair, TextCoding.base64(Array(pair.utf8))] }
        }
        let tokens = scope.session.filter { Self.isTelling($0.key) }.values.compactMap(\.shown)
        return known.adding(secrets: tokens, literals: pairs)
    }

    /// True for names whose values are credentials.
    private static func isTelling(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["token", "jwt", "secret", "password", "csrf", "cookie", "ticket", "signature"].contains {
            lower.contains($0)
        }
    }
}

/// Takes links from replies and captures, each checked before it is passed on.
private struct LinkCollector {
    var scope: Scope
    let document: ReplyDocument
    let hidden: Redaction
    /// True after a link was refused.
    var refused = false

    init(scope: Scope, document: ReplyDocument, hidden: Redaction) {
        self.scope = scope
        self.document = document
        self.hidden = hidden
    }

    /// A link that may be passed on; templates after it can name it.
    mutating func link(_ sources: Sources?, _ name: String) -> String? {
        let saved = scope.captures[name]?.shown
        let isRecovered = scope.captures["recovered"] != nil && saved != nil
        guard let text = isRecovered ? saved : sources?.text(in: scope, document) ?? saved else { return nil }
        guard let link = LinkRules.accepted(text, hiding: hidden) else {
            refused = true
            return nil
        }
        scope.captures[name] = .string(link)
        return link
    }

    /// An identifier without control characters and secrets, at most 512 characters.
    mutating func identifier(_ sources: Sources?) -> String? {
        guard let id = sources?.text(in: scope, document) ?? scope.captures["id"]?.shown else { return nil }
        let clean = Excerpt.of(id, hiding: hidden, limit: 512)
        guard !clean.isEmpty, clean == id else { return nil }
        scope.captures["id"] = .string(id)
        return id
    }

    /// One of the words for who can see a picture.
    func word(_ sources: Sources?, _ name: String) -> String? {
        let text = sources?.text(in: scope, document) ?? scope.captures[name]?.shown
        return text.flatMap { AdapterFields.visibilities.contains($0) ? $0 : nil }
    }
}

// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

extension CompiledService {
    /// Judges a complete reply.
    ///
    /// Success needs the status range, the service's own test, and a link, page or identifier.
    /// - Returns: What the service gave, or why it counts as a failure and whether it may be repeated.
    public func outcome(of reply: HTTPReply, context: DeliveryContext) -> Result<DeliveryLinks, DeliveryFailure> {
        let document = ReplyDocument(reply)
        var scope = scope(context)
        for (name, sources) in self.reply.save {
            scope.captures[name] = sources.value(in: scope, document)
        }
        let judgesStatus = self.reply.ok?.testsStatus ?? false
        if (300..<400).contains(reply.status), !judgesStatus {
            return .failure(redirectFailure(reply))
        }
        guard judgesStatus || (200..<300).contains(reply.status) else {
            return .failure(refusal(document, scope, isSuccessStatus: false))
        }
        guard self.reply.ok?.holds(in: scope, document) ?? true else {
            return .failure(refusal(document, scope, isSuccessStatus: (200..<300).contains(reply.status)))
        }
        return links(document, scope)
    }

    /// Judges an attempt that got no complete reply.
    public func outcome(of error: TransportError) -> DeliveryFailure {
        let kind: ErrorKind =
            switch error.cause {
            case .connectTimeout, .stallTimeout, .totalTimeout: .timeout
            case .badURL: .rejected
            case .replyTooLarge, .malformedReply: .badReply
            case .stopped: .interrupted
            case .dns, .refused, .tls, .connectionLost: .network
            }
        let retry: RetryClass =
            if error.cause == .badURL {
                .never
            } else if error.requestFullySent && !isIdempotent {
                .unknownOutcome
            } else {
                error.cause == .replyTooLarge ? .never : .retry
            }
        let message = Excerpt.of(error.message, secrets: secrets)
        return DeliveryFailure(kind: kind, message: message, httpStatus: nil, retry: retry)
    }

    /// What a local service gives once the picture is stored.
    ///
    /// - Parameter name: The relative name under which it was stored.
    public func outcome(ofStored name: String, context: DeliveryContext) -> Result<DeliveryLinks, DeliveryFailure> {
        var scope = scope(context)
        scope.captures["stored_name"] = .string(name)
        let nothing = ReplyDocument(HTTPReply(status: 200, headers: [], body: [], finalURL: ""))
        return links(nothing, scope, isLocal: true)
    }

    private func links(
        _ document: ReplyDocument,
        _ start: Scope,
        isLocal: Bool = false
    ) -> Result<DeliveryLinks, DeliveryFailure> {
        var scope = start
        let hidden = hiddenValues(scope)
        var refused = false
        func accepted(_ sources: Sources?, _ name: String) -> String? {
            guard let text = sources?.text(in: scope, document) else { return nil }
            guard let link = LinkRules.accepted(text, secrets: hidden) else {
                refused = true
                return nil
            }
            scope.captures[name] = .string(link)
            return link
        }
        var links = DeliveryLinks()
        links.link = accepted(reply.link, "link")
        if refused {
            return .failure(badReply(document, "the reply holds a link that cannot be passed on", hiding: hidden))
        }
        links.page = accepted(reply.page, "page")
        if reply.link == nil, reply.page == nil, reply.id == nil {
            links.link = LinkDiscovery.link(in: document).flatMap { LinkRules.accepted($0, secrets: hidden) }
        }
        let isComputed = !isLocal && reply.ok == nil && document.text.isEmpty
        if isComputed, document.reply.header("Location") == nil, !readsReply {
            return .failure(badReply(document, "the reply is empty", hiding: hidden))
        }
        links.remoteID = reply.id?.text(in: scope, document).flatMap { id in
            let clean = Excerpt.of(id, secrets: hidden, limit: 512)
            return clean.isEmpty || clean != id ? nil : id
        }
        guard links.link != nil || links.page != nil || links.remoteID != nil else {
            let reason = refused ? "the reply holds a link that cannot be passed on" : "no link in the reply"
            return .failure(badReply(document, reason, hiding: hidden))
        }
        if let id = links.remoteID { scope.captures["id"] = .string(id) }
        links.thumbnail = accepted(reply.thumbnail, "thumbnail")
        for (name, sources) in reply.extras { scope.captures[name] = sources.value(in: scope, document) }
        links.captures = scope.captures.compactMapValues(\.shown)
        if let delete { links.deletable = (try? delete.request.request(in: scope, timeouts: timeouts)) != nil }
        return .success(links)
    }

    /// True when a link is taken from the reply itself rather than computed from the request.
    private var readsReply: Bool {
        let sources = [reply.link, reply.page, reply.id].compactMap { $0 }.flatMap(\.list)
        return sources.contains { source in
            guard case .template(let template) = source else { return true }
            return template.variables.contains { if case .capture = $0 { true } else { false } }
        }
    }

    /// Secrets with those forms in which they travel.
    func hiddenValues(_ scope: Scope) -> [String] {
        guard case .basic(let username, let password) = request?.authorization,
            let user = try? username.text(in: scope), let word = try? password.text(in: scope)
        else { return secrets }
        let pair = user + ":" + word
        return secrets + [pair, TextCoding.base64(Array(pair.utf8))]
    }

    private func badReply(_ document: ReplyDocument, _ reason: String, hiding hidden: [String]) -> DeliveryFailure {
        let excerpt = Excerpt.of(document.text, secrets: hidden, limit: 160)
        let message = "HTTP \(document.reply.status), \(reason)" + (excerpt.isEmpty ? "" : ": " + excerpt)
        return DeliveryFailure(kind: .badReply, message: message, httpStatus: document.reply.status, retry: .never)
    }

    private func redirectFailure(_ reply: HTTPReply) -> DeliveryFailure {
        let location = reply.header("Location").map { Words.trimmed($0) } ?? ""
        let target: String
        if location.isEmpty {
            target = "without naming a place"
        } else if let host = LinkRules.authority(of: location) {
            target =
                "to " + Excerpt.of(host.split(separator: "@").last.map(String.init) ?? "", secrets: secrets, limit: 100)
        } else if let colon = location.firstIndex(of: ":"), location[..<colon].allSatisfy({ $0.isLetter }) {
            target = "to a URL of another scheme (\(location[..<colon].prefix(20)))"
        } else if location.hasPrefix("//") {
            target =
                "to " + Excerpt.of(String(location.dropFirst(2).prefix { $0 != "/" }), secrets: secrets, limit: 100)
        } else {
            let host = LinkRules.authority(of: reply.finalURL)?.split(separator: "@").last.map(String.init)
            target = "within " + (host ?? "the same host")
        }
        return DeliveryFailure(
            kind: .redirect,
            message: "HTTP \(reply.status), redirected \(target); the upload was not sent there",
            httpStatus: reply.status,
            retry: .never
        )
    }

    private func refusal(_ document: ReplyDocument, _ scope: Scope, isSuccessStatus: Bool) -> DeliveryFailure {
        let status = document.reply.status
        let said = reply.error.message?.text(in: scope, document)
        let code = reply.error.code?.text(in: scope, document)
        let words = Excerpt.of(said ?? "", secrets: hiddenValues(scope))
        let excerpt = words.isEmpty ? Excerpt.of(document.text, secrets: hiddenValues(scope), limit: 160) : words
        let message: String
        if isSuccessStatus {
            message = words.isEmpty ? "HTTP \(status), not the reply of a success: \(excerpt)" : words
        } else {
            message = words.isEmpty ? "HTTP \(status)" + (excerpt.isEmpty ? "" : ": " + excerpt) : words
        }
        let kind = kind(status: status, code: code, message: said ?? "", isExplained: !words.isEmpty)
        let retry = retryClass(kind, document, scope)
        return DeliveryFailure(kind: kind, message: message, httpStatus: status, retry: retry)
    }

    private func kind(status: Int, code: String?, message: String, isExplained: Bool) -> ErrorKind {
        if let code, let kind = reply.error.kinds[code] { return kind }
        if let kind = reply.error.kinds[String(status)] { return kind }
        if let found = reply.error.patterns.first(where: { $0.0.matches(message) }) { return found.1 }
        if (200..<300).contains(status) { return isExplained ? .rejected : .badReply }
        switch status {
        case 401, 403: return .auth
        case 402, 507: return .quota
        case 408: return .timeout
        case 409: return .duplicate
        case 413: return .tooLarge
        case 415: return .badFormat
        case 429: return .rateLimited
        case 300..<400: return .redirect
        case 500...: return .unavailable
        default: return .rejected
        }
    }

    private func retryClass(_ kind: ErrorKind, _ document: ReplyDocument, _ scope: Scope) -> RetryClass {
        let reply = document.reply
        let waiting = Waiting.duration(document, scope, rules: self.reply.waits, now: scope.context.now)
        switch reply.status {
        case 429, 503: return waiting.map { .retryAfter($0) } ?? .retry
        case 500...:
            if isIdempotent || !reply.requestFullySent { return waiting.map { .retryAfter($0) } ?? .retry }
            return [502, 504].contains(reply.status) || (520...524).contains(reply.status) ? .unknownOutcome : .never
        case 408: return isIdempotent || !reply.requestFullySent ? .retry : .never
        default:
            guard kind == .rateLimited else { return .never }
            return waiting.map { .retryAfter($0) } ?? .retry
        }
    }
}

/// Reads how long a service asks to wait.
enum Waiting {
    /// Longest wait that is believed.
    static let limit = Duration.seconds(86_400)

    /// `Retry-After` in seconds or as a date, else the service's own rules; bounded, never negative.
    static func duration(_ document: ReplyDocument, _ scope: Scope, rules: [WaitRule], now: Int) -> Duration? {
        if let text = document.reply.header("Retry-After").map({ Words.trimmed($0) }) {
            if let seconds = Double(text), seconds.isFinite { return bounded(seconds) }
            if let date = Moment(http: text) { return bounded(Double(date.unix - now)) }
        }
        for rule in rules {
            guard let text = rule.from.text(in: scope, document), let count = Double(text), count.isFinite else {
                continue
            }
            let seconds =
                count * Double(rule.unit.components.seconds)
                + count * Double(rule.unit.components.attoseconds) / 1e18
            // A count that large is a point in time (seconds since 1970), which some services send here.
            return bounded(seconds > 1_000_000_000 ? seconds - Double(now) : seconds)
        }
        return nil
    }

    private static func bounded(_ seconds: Double) -> Duration {
        min(limit, max(.zero, .milliseconds(Int(max(0, min(seconds, 1e6)) * 1000))))
    }
}

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
        if let xml = document.xml,
            let found = xml.values("//mediaurl|//url").map(Words.trimmed).first(where: LinkRules.isAbsolute)
        {
            return found
        }
        if text.isEmpty, let place = document.reply.header("Location"), LinkRules.isAbsolute(place) { return place }
        return nil
    }
}

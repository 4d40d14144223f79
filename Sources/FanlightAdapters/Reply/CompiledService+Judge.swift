// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What a complete reply means for its step.
enum StepVerdict {
    /// The step is done; what it saved.
    case passed([String: JSONValue])
    case failed(DeliveryFailure)
}

extension CompiledService {
    /// Judges a complete reply to a step.
    ///
    /// Success needs the status range and the adapter's own test; a failure that a `recover` rule knows counts as one.
    func judge(_ step: StepProgram, _ document: ReplyDocument, _ start: Scope) -> StepVerdict {
        var scope = start
        let saved = SavedValues.of(step.reply.save, document, scope)
        // What this reply does not have is no value of an earlier one.
        for rule in step.reply.save { scope.captures[rule.name] = saved[rule.name] }
        guard let failure = refusal(step, document, scope) else { return .passed(saved) }
        for rule in step.reply.recover where rule.when.holds(in: scope, document) {
            var kept = rule.save.map { SavedValues.of($0, document, scope) } ?? saved
            kept["recovered"] = .string(rule.name)
            scope.captures.merge(kept) { _, new in new }
            if let link = rule.link?.text(in: scope, document) { kept["link"] = .string(link) }
            if let page = rule.page?.text(in: scope, document) { kept["page"] = .string(page) }
            return .passed(kept)
        }
        return .failed(failure)
    }

    /// Why a reply is no success; `nil` when it is one.
    private func refusal(_ step: StepProgram, _ document: ReplyDocument, _ scope: Scope) -> DeliveryFailure? {
        let status = document.reply.status
        let judgesStatus = step.reply.ok?.testsStatus ?? false
        if (300..<400).contains(status), !judgesStatus { return redirectFailure(document.reply) }
        let isRange = (200..<300).contains(status)
        if judgesStatus || isRange, step.reply.ok?.holds(in: scope, document) ?? true { return nil }
        return explain(step, document, scope)
    }

    /// Judges an exchange that got no complete reply.
    func failure(of error: TransportError, isIdempotent: Bool) -> DeliveryFailure {
        let retry: RetryClass =
            if error.cause == .badURL {
                .never
            } else if error.requestFullySent && !isIdempotent {
                .unknownOutcome
            } else {
                error.cause == .replyTooLarge ? .never : .retry
            }
        let message = Excerpt.of(error.message, hiding: redaction)
        return DeliveryFailure(kind: error.cause.kind, message: message, httpStatus: nil, retry: retry)
    }

    /// The failure of a step whose reply counts as a success and gives nothing of what the step is for.
    func hollowReply(_ step: StepProgram, _ document: ReplyDocument, _ scope: Scope) -> DeliveryFailure {
        let names = step.reply.save.map { "'\($0.name)'" }.joined(separator: ", ")
        return badReply(document, "the reply gave no \(names)", scope)
    }

    private func redirectFailure(_ reply: HTTPReply) -> DeliveryFailure {
        let location = reply.header("Location").map { Words.trimmed($0) } ?? ""
        func shown(_ host: String) -> String { "to " + Excerpt.of(host, hiding: redaction, limit: 100) }
        let target: String
        if location.isEmpty {
            target = "without naming a place"
        } else if let host = LinkRules.authority(of: location) {
            target = shown(host.split(separator: "@").last.map(String.init) ?? "")
        } else if let colon = location.firstIndex(of: ":"), location[..<colon].allSatisfy({ $0.isLetter }) {
            target = "to a URL of another scheme (\(TextUnit.characters.truncate(String(location[..<colon]), to: 20)))"
        } else if location.hasPrefix("//") {
            target = shown(String(location.dropFirst(2).prefix { $0 != "/" }))
        } else {
            let host = LinkRules.authority(of: reply.finalURL)?.split(separator: "@").last.map(String.init)
            target = "within " + (host.map { Excerpt.of($0, hiding: redaction, limit: 100) } ?? "the same host")
        }
        return DeliveryFailure(
            kind: .redirect,
            message: "HTTP \(reply.status), redirected \(target); the upload was not sent there",
            httpStatus: reply.status,
            retry: .never
        )
    }

    /// The failure that a reply tells, in the service's own words where it has some.
    func explain(_ step: StepProgram, _ document: ReplyDocument, _ scope: Scope) -> DeliveryFailure {
        let status = document.reply.status
        let rules = step.reply.error
        let said = rules.message?.text(in: scope, document)
        let code = rules.code?.text(in: scope, document)
        let hidden = hiding(scope)
        let words = Excerpt.of(said ?? "", hiding: hidden)
        let excerpt = words.isEmpty ? Excerpt.of(document.text, hiding: hidden, limit: 160) : words
        let message: String
        if !words.isEmpty {
            message = words
        } else if (200..<300).contains(status) {
            message = "HTTP \(status), not the reply of a success: \(excerpt)"
        } else {
            message = "HTTP \(status)" + (excerpt.isEmpty ? "" : ": " + excerpt)
        }
        let isProse = !words.isEmpty && Excerpt.isProse(said ?? "")
        let kind = FailureKind.of(rules, status: status, code: code, message: said ?? "", isExplained: isProse)
        let retry = retryClass(kind, step, document, scope)
        return DeliveryFailure(kind: kind, message: message, httpStatus: status, retry: retry)
    }

    private func retryClass(
        _ kind: ErrorKind,
        _ step: StepProgram,
        _ document: ReplyDocument,
        _ scope: Scope
    ) -> RetryClass {
        let reply = document.reply
        var waiting: RetryClass {
            Waiting.asked(document, scope, step.reply).map { .retryAfter($0) } ?? .retry
        }
        let isRepeatable = !reply.requestFullySent || step.isRepeatable(after: document, in: scope)
        switch reply.status {
        case 429, 503: return waiting
        case 500...:
            if isRepeatable { return waiting }
            return reply.hidesOutcome ? .unknownOutcome : .never
        case 408: return isRepeatable ? .retry : .never
        default: return kind == .rateLimited ? waiting : .never
        }
    }
}

/// Which kind a failure has.
enum FailureKind {
    /// By code, status and message as the adapter says, else by status.
    static func of(
        _ rules: ErrorRules,
        status: Int,
        code: String?,
        message: String,
        isExplained: Bool
    ) -> ErrorKind {
        if let code, let kind = rules.kinds[code] { return kind }
        // A code of the service may look like a status of success; only its own words have it.
        if !(200..<300).contains(status), let kind = rules.kinds[String(status)] { return kind }
        if let found = rules.patterns.first(where: { $0.0.matches(message) }) { return found.1 }
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
}

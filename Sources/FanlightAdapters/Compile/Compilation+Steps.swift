// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    /// Compiles `steps:`, or one step of the service's own request.
    func steps(_ service: Node, authorization: Authorization) -> [StepProgram] {
        guard let list = service["steps"], !list.isNull else {
            return single(service, authorization).map { [$0] } ?? []
        }
        for key in [
            "file", "fields", "parts", "related", "form", "json", "raw", "query", "save", "recover", "retry_when",
        ] {
            guard let found = service[key], !found.isNull else { continue }
            error(found, "'\(key)' belongs to a step, because the service has steps")
        }
        guard !list.items.isEmpty else {
            error(list, "steps is a list of steps")
            return []
        }
        let defaults = RequestDefaults(
            url: service["url"],
            headers: service["headers"],
            authorization: authorization,
            method: "POST"
        )
        return steps(list.items, AdapterFields.step, defaults, service: service)
    }

    private func single(_ service: Node, _ authorization: Authorization) -> StepProgram? {
        let defaults = RequestDefaults(authorization: authorization, method: "POST", sendsFile: true)
        let entries = service.entries.filter { $0.key != "auth" }
        guard let request = request(Node(.mapping(entries), at: service.position), defaults) else { return nil }
        var step = StepProgram(id: "upload", request: request)
        names.later = Set(Self.savedNames(service))
        step.reply = reply(service)
        names.later = []
        step.retryWhen = predicate(service["retry_when"])
        step.isIdempotent = isIdempotent(service["idempotent"], request)
        names.steps.insert(step.id)
        return step
    }

    /// Compiles a list of steps, each of which can name what those before it saved.
    func steps(
        _ nodes: [Node],
        _ section: Section,
        _ defaults: RequestDefaults,
        service: Node?
    ) -> [StepProgram] {
        var steps: [StepProgram] = []
        for (index, node) in nodes.enumerated() {
            names.later = Set(nodes[index...].flatMap(Self.savedNames))
            guard checkKeys(of: node, section) else { continue }
            let id = identifier(of: node, index, taken: steps.map(\.id))
            var defaults = defaults
            defaults.name = "the step '\(id)'"
            // What the tests before a request can name; it has no reply yet.
            let when = predicate(node["when"])
            guard let request = request(node, defaults) else {
                error(node, "the step '\(id)' needs 'url'")
                _ = saveRules(node["save"])
                continue
            }
            var step = StepProgram(id: id, when: when, request: request)
            names.steps.insert(id)
            step.isOptional = read(node["optional"], ValueReader.boolean) ?? false
            step.isIdempotent = isIdempotent(node["idempotent"] ?? service?["idempotent"], request)
            step.reply = reply(node, inheriting: service)
            step.poll = poll(node["poll"])
            repeating(node, &step, before: steps)
            steps.append(step)
        }
        names.later = []
        return steps
    }

    private static func savedNames(_ node: Node) -> [String] {
        let recovered = (node["recover"]?.items ?? []).flatMap { rule in
            (rule["save"]?.entries ?? []).map(\.key) + ["link", "page"].filter { rule[$0] != nil }
        }
        return (node["save"]?.entries ?? []).map(\.key) + recovered
    }

    private func identifier(of node: Node, _ index: Int, taken: [String]) -> String {
        checkText(node["id"], "the id of a step is a text")
        guard let found = node["id"], let id = found.text else { return "step\(index + 1)" }
        let isName =
            !id.isEmpty && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        if !isName { error(found, "the id of a step is made of letters, digits, '-' and '_'") }
        if taken.contains(id) { error(found, "two steps have the id '\(id)'") }
        return id
    }

    /// GET, HEAD, PUT and DELETE are repeatable by HTTP's own rules, others where it is declared or a key goes along.
    private func isIdempotent(_ node: Node?, _ request: RequestProgram) -> Bool {
        if let declared = read(node, ValueReader.boolean) { return declared }
        return ["GET", "HEAD", "PUT", "DELETE"].contains(request.method)
            || request.variables.contains(.plain(.idempotencyKey))
    }

    /// Reads `restart`, `retry_when`, `attempts` and `backoff`.
    private func repeating(_ node: Node, _ step: inout StepProgram, before steps: [StepProgram]) {
        step.retryWhen = predicate(node["retry_when"])
        if let restart = node["restart"], !restart.isNull {
            step.restart = self.restart(restart, of: step, before: steps)
        }
        step.attempts =
            read(node["attempts"]) { (text) throws(Expectation) in try ValueReader.integer(text, in: 1...20) } ?? 1
        step.backoff = read(node["backoff"], ValueReader.duration) ?? .seconds(1)
        guard step.retryWhen == nil, step.restart == nil, node["restart"] == nil, node["retry_when"] == nil else {
            return
        }
        for key in ["attempts", "backoff"] {
            if let found = node[key] { error(found, "\(key) has no effect without 'retry_when' or 'restart'") }
        }
    }

    private func restart(_ node: Node, of step: StepProgram, before steps: [StepProgram]) -> RestartProgram? {
        guard checkKeys(of: node, AdapterFields.restart) else { return nil }
        if Self.lacks(node, "at") || Self.lacks(node, "when") { error(node, "restart needs 'at' and 'when'") }
        let condition = predicate(node["when"])
        guard let at = node["at"], !at.isNull, let id = text(at) else { return nil }
        if let index = (steps.map(\.id) + [step.id]).firstIndex(of: id) {
            return condition.map { RestartProgram(step: index, when: $0) }
        }
        let nearest = NearestName.of(id, among: steps.map(\.id))
        error(at, "there is no step '\(id)' before this one" + Self.hint(nearest))
        return nil
    }

    private func poll(_ node: Node?) -> PollProgram? {
        guard let node, !node.isNull else { return nil }
        guard checkKeys(of: node, AdapterFields.poll) else { return nil }
        if Self.lacks(node, "until") { error(node, "poll needs 'until'") }
        // After a mistake in it, which keeps the service from being used, the rest is read for its mistakes.
        var poll = PollProgram(until: predicate(node["until"]) ?? .all([]))
        poll.pending = predicate(node["pending"])
        poll.fail = predicate(node["fail"])
        poll.deadline = read(node["deadline"], ValueReader.duration) ?? poll.deadline
        if let every = node["every"], case .mapping = every.content {
            checkKeys(of: every, AdapterFields.interval)
            poll.interval = waiting(
                Node(.mapping(every.entries.filter { $0.key != "default" }), at: every.position),
                in: "every"
            )
            poll.every = read(every["default"], ValueReader.duration) ?? poll.every
        } else {
            poll.every = read(node["every"], ValueReader.duration) ?? poll.every
        }
        poll.growth =
            read(node["grow"]) { (text) throws(Expectation) -> Int in
                let digits = DecimalText.fixed(text, digits: 3).map { $0.filter { $0 != "." } }
                guard let factor = digits.flatMap({ Int($0) }), (1_000...10_000).contains(factor) else {
                    throw Expectation("a factor from 1 to 10, such as 1.5")
                }
                return factor
            } ?? poll.growth
        if poll.every < .milliseconds(100) {
            error(node["every"] ?? node, "a service is asked ten times a second at most")
        }
        return poll
    }
}

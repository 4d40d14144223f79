// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// How far a run has come.
struct RunState: Sendable {
    /// Index of the step that is next or under way.
    var index = 0
    /// Seconds since 1970 at which the delivery began.
    var start: Int?
    var captures: [String: JSONValue] = [:]
    /// Status of the last reply of each step.
    var statuses: [String: Int] = [:]
    var session: SessionValues?
    /// Exchanges so far, also those before a restart of the gateway.
    var exchange = 0
    var lastReply: HTTPReply?
    var networkError: String?
    var quiet: Duration?
    /// True when a later version of the adapter no longer has the step at which the delivery was.
    var isLost = false
    /// Step that `.again` goes back to.
    var restart: Int?

    /// True when a request of this attempt that publishes was complete, and its outcome was not seen.
    var mayHaveArrived = false

    /// Requests of each step that failed in this attempt, also when the run went back and came again.
    var failures: [Int: Int] = [:]

    // Of the step under way.
    var challenges = 0
    /// True when the session was renewed in this attempt.
    var isRenewed = false
    var pollStart: Int?
    var pollWait: Duration?

    init(start: Int?) { self.start = start }

    /// Goes on where a progress ended; what is the same in the whole delivery is put back into the context.
    init(resuming progress: JSONValue?, steps: [StepProgram], context: inout DeliveryContext) {
        guard let progress, progress != .null else { return }
        start = progress["start"]?.int
        exchange = progress["exchange"]?.int ?? 0
        if let uuid = progress["uuid"]?.string { context.uuid = uuid }
        for member in progress["captures"]?.object ?? [] { captures[member.name] = member.value }
        for member in progress["status"]?.object ?? [] { statuses[member.name] = member.value.int }
        guard let step = progress["step"]?.string else { return }
        if let index = steps.firstIndex(where: { $0.id == step }) {
            self.index = index
        } else {
            isLost = true
        }
    }

    /// What a later run needs; `null` before anything was sent.
    func progress(steps: [StepProgram], context: DeliveryContext) -> JSONValue {
        guard index > 0 || exchange > 0 else { return .null }
        let members = captures.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
        let numbers = statuses.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .int($0.value)) }
        var out: [JSONValue.Member] = [
            .init("start", .int(start ?? context.now)), .init("uuid", .string(context.uuid)),
            .init("exchange", .int(exchange)), .init("captures", .object(members)), .init("status", .object(numbers)),
        ]
        let next = restart ?? index
        if next < steps.count { out.append(.init("step", .string(steps[next].id))) }
        return .object(out)
    }

    /// Goes to the next step.
    mutating func leaveStep() {
        index += 1
        beginStep()
    }

    /// Goes to an earlier step, or stays; attempts go on being counted.
    mutating func goBack(to step: Int) {
        index = step
        pollStart = nil
        pollWait = nil
        challenges = 0
    }

    /// Begins another attempt after a failure.
    mutating func beginAttempt() {
        if let restart { index = restart }
        restart = nil
        failures = [:]
        mayHaveArrived = false
        beginStep()
    }

    private mutating func beginStep() {
        challenges = 0
        isRenewed = false
        networkError = nil
        pollStart = nil
        pollWait = nil
    }
}

/// Values that a reply gives, each readable by those after it.
enum SavedValues {
    /// The values by name.
    static func of(_ rules: [SaveRule], _ document: ReplyDocument, _ start: Scope) -> [String: JSONValue] {
        var scope = start
        var saved: [String: JSONValue] = [:]
        for rule in rules {
            guard let value = rule.value.value(in: scope, document) else { continue }
            saved[rule.name] = value
            scope.captures[rule.name] = value
        }
        return saved
    }
}

/// A folder of the gateway that keeps pictures.
struct StoreProgram: Sendable {
    var folder: Template
    var name: Template

    /// Where a picture goes.
    ///
    /// - Throws: A failure of kind `rejected` when there is no place, or the name would leave the folder.
    func place(in scope: Scope) throws(DeliveryFailure) -> (folder: String, name: String) {
        guard let folder = try folder.text(in: scope), !folder.isEmpty,
            let name = try name.text(in: scope).flatMap(Self.safeName)
        else { throw DeliveryFailure(kind: .rejected, message: "\(scope.service) has no place for the picture") }
        return (folder, name)
    }

    /// A relative name without empty, hidden and upward steps and without control characters.
    private static func safeName(_ text: String) -> String? {
        let steps = text.split(separator: "/").map(String.init).filter { !$0.isEmpty }
        let isSafe = steps.allSatisfy { step in
            !step.hasPrefix(".") && step.utf8.count <= 200
                && step.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" }
        }
        return isSafe && !steps.isEmpty ? steps.joined(separator: "/") : nil
    }
}

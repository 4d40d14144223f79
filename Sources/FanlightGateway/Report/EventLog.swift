// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// One JSON object an event: static messages, values in fields; no captions, positions, file names or secrets.
public struct EventLog: Sendable {
    /// Takes one event.
    public var write: @Sendable (JSONValue) -> Void

    private let refusals = JournalRefusals()

    /// Creates a log.
    public init(write: @escaping @Sendable (JSONValue) -> Void) { self.write = write }

    /// Writes nothing.
    public static let silent = EventLog { _ in }

    /// Writes one event a delivery, then one for the upload.
    func finished(_ report: Report, shadows: [JournalDelivery] = [], requestID: String = "", at time: String) {
        let name = requestID.isEmpty ? [] : [JSONValue.Member("request_id", .string(requestID))]
        let measured = shadows.map { delivery in
            var entry = Report.Entry(service: delivery.service)
            entry.status = delivery.status
            entry.role = .shadow
            entry.attempts = delivery.attempts
            entry.durationMilliseconds = delivery.durationMilliseconds
            entry.failure = delivery.failure
            return entry
        }
        for entry in report.deliveries + measured {
            write(
                .object(
                    head("delivery finished", report, time) + name + [
                        .init("service", .string(entry.service)),
                        .init("status", .string(entry.status.rawValue)),
                        .init("role", .string(entry.role.rawValue)),
                        .init("attempts", .number(String(entry.attempts))),
                        .init("duration_ms", .number(String(entry.durationMilliseconds))),
                        .init("error_kind", entry.failure.map { .string($0.kind.rawValue) } ?? .null),
                    ]
                )
            )
        }
        write(
            .object(
                head("upload finished", report, time) + name + [
                    .init("status", .string(report.status.rawValue)),
                    .init("deliveries", .number(String(report.deliveries.count))),
                    .init("bytes", .number(String(report.imageBytes))),
                ]
            )
        )
    }

    /// Writes one event for a picture that was refused: damaged, of no type that is taken, or more than limits allow.
    ///
    /// - Parameter mediaType: What it is; `nil` = it cannot be told.
    func refused(_ problem: Problem, mediaType: MediaType?, bytes: Int, requestID: String = "", at time: String) {
        let name = requestID.isEmpty ? [] : [JSONValue.Member("request_id", .string(requestID))]
        line(
            "warning",
            "picture refused",
            time,
            name + [
                .init("code", .string(problem.code.rawValue)), .init("detail", .string(problem.detail)),
                .init("media_type", mediaType.map { .string($0.mime) } ?? .null), .init("bytes", .int(bytes)),
            ]
        )
    }

    /// Writes one event for a deletion at a service that has its outcome.
    func deleted(_ upload: String, service: String, _ deletion: JournalDeletion, at time: String) {
        let kind = deletion.failure?.kind
        line(
            deletion.state == .failed ? "warning" : "info",
            "deletion finished",
            time,
            [
                .init("upload_id", .string(upload)), .init("service", .string(service)),
                .init("status", .string(deletion.state.rawValue)), .init("attempts", .int(deletion.attempts)),
                .init("error_kind", kind.map { .string($0.rawValue) } ?? .null),
            ]
        )
    }

    /// Writes one event for a call of the webhook: the last one of an upload, or one that will be repeated.
    ///
    /// - Parameter result: `nil` = the call was taken.
    func notified(_ upload: String, _ result: WebhookFailure?, _ state: JournalNotification, at time: String) {
        let status = result == nil ? "delivered" : state.isDone ? "given_up" : "repeated"
        line(
            result == nil ? "info" : "warning",
            state.isDone ? "webhook finished" : "webhook failed",
            time,
            [
                .init("upload_id", .string(upload)), .init("status", .string(status)),
                .init("attempts", .int(state.attempts)),
                .init("http_status", result?.status.map { .int($0) } ?? .null),
                .init("error_kind", result.map { .string($0.kind.rawValue) } ?? .null),
            ]
        )
    }

    /// Writes that pictures which must be changed cannot be.
    public func helpersMissing(_ program: String, at time: String) {
        line(
            "warning",
            "no imaging helper",
            time,
            [
                .init("program", .string(program)),
                .init("detail", "It is missing or does not run. Pictures that must be changed are refused with 503."),
            ]
        )
    }

    /// Writes that fewer connections are taken than config.yaml says.
    public func fewDescriptors(_ descriptors: Int, connections: (wanted: Int, used: Int), at time: String) {
        let advice = "Raise the limit of open files (LimitNOFILE, ulimit -n), or set server.max_connections lower."
        line(
            "warning",
            "too few descriptors",
            time,
            [
                .init("max_descriptors", .number(String(descriptors))),
                .init("max_connections", .number(String(connections.wanted))),
                .init("used", .number(String(connections.used))),
                .init("detail", .string("An upload takes four descriptors, and one for each service. \(advice)")),
            ]
        )
    }

    /// Writes that outcomes were never written: a new start takes these deliveries for not done.
    public func outcomesLost(_ count: Int, at time: String) {
        let detail =
            "The journal took no writes until the end. These deliveries were done and told; the next start knows nothing of it: it ends them as unknown, or repeats them where a service may get a request twice."
        line(
            "error",
            "outcomes were not written",
            time,
            [.init("outcomes", .int(count)), .init("detail", .string(detail))]
        )
    }

    /// Writes that the state folder cannot be used, or can be used again.
    public func stateFolder(_ trouble: StateWatch.Trouble?, at time: String) {
        guard let trouble else { return line("info", "state folder can be used again", time, []) }
        line(
            "error",
            "state folder cannot be used",
            time,
            [.init("reason", .string(trouble.rawValue)), .init("detail", .string(trouble.advice))]
        )
    }

    /// Writes what an operator wants to know although nobody asked.
    ///
    /// - Parameter now: The moment on a clock that nobody sets; it keeps lines about the journal apart.
    public func note(_ event: GatewayEvent, at time: String, now: ContinuousClock.Instant = .now) {
        switch event {
        case .circuit(let service, let state):
            let level = state == .open ? "warning" : "info"
            line(
                level,
                "circuit changed",
                time,
                [.init("service", .string(service)), .init("circuit", .string(state.rawValue))]
            )
        case .journalFailed(let error, let isReading):
            guard let failures = refusals.count(error.name, isReading: isReading, at: now) else { return }
            line(
                "error",
                isReading ? "journal cannot be read" : "journal refused a write",
                time,
                [
                    .init("reason", .string(error.name)), .init("detail", .string(error.advice)),
                    .init("code", error.code.map { .int(Int($0)) } ?? .null), .init("failures", .int(failures)),
                ]
            )
        case .recovered(let uploads):
            line("info", "uploads of an earlier run continued", time, [.init("uploads", .int(uploads))])
        default: break
        }
    }

    /// The line that stands for lines which were lost because nobody read the log.
    public static func linesLost(_ count: Int, at time: String) -> JSONValue {
        .object([
            .init("time", .string(time)), .init("level", .string("warning")),
            .init("message", .string("log lines lost")),
            .init("lines", .int(count)),
        ])
    }

    private func line(_ level: String, _ message: String, _ time: String, _ more: [JSONValue.Member] = []) {
        write(
            .object(
                [
                    .init("time", .string(time)), .init("level", .string(level)), .init("message", .string(message)),
                ] + more
            )
        )
    }

    private func head(_ message: String, _ report: Report, _ time: String) -> [JSONValue.Member] {
        [
            .init("time", .string(time)), .init("level", .string("info")), .init("message", .string(message)),
            .init("upload_id", .string(report.id)),
        ]
    }
}

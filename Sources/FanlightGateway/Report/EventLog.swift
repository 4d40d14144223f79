// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// One JSON object an event: static messages, values in fields; no captions, positions, file names or secrets.
public struct EventLog: Sendable {
    /// Takes one event.
    public var write: @Sendable (JSONValue) -> Void

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

    /// Writes one event for a picture that no rendition could be made of: damaged, or more than its helper may use.
    func refused(_ problem: Problem, mediaType: MediaType, bytes: Int, requestID: String = "", at time: String) {
        let name = requestID.isEmpty ? [] : [JSONValue.Member("request_id", .string(requestID))]
        line(
            "warning",
            "picture refused",
            time,
            name + [
                .init("code", .string(problem.code.rawValue)), .init("detail", .string(problem.detail)),
                .init("media_type", .string(mediaType.mime)), .init("bytes", .int(bytes)),
            ]
        )
    }

    /// Writes what an operator wants to know although nobody asked.
    public func note(_ event: GatewayEvent, at time: String) {
        switch event {
        case .circuit(let service, let state):
            let level = state == .open ? "warning" : "info"
            line(
                level,
                "circuit changed",
                time,
                [.init("service", .string(service)), .init("circuit", .string(state.rawValue))]
            )
        case .journalFailed: line("error", "journal refused a write", time)
        case .recovered(let uploads):
            line("info", "uploads of an earlier run continued", time, [.init("uploads", .int(uploads))])
        default: break
        }
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

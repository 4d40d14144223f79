// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// What `GET /v1/services` says of one service; no secrets.
enum ServiceReport {
    static func json(_ service: CompiledService, _ engine: Engine) -> JSONValue {
        .object([
            .init("name", .string(service.name)),
            .init("adapter", .string(service.adapterName)),
            .init("enabled", .bool(service.enabled)),
            .init("reason", .optional(service.disabledReason)),
            .init("role", .string(service.delivery.role.rawValue)),
            .init("duplicates", service.delivery.reusesDuplicates ? "reuse" : "send"),
            .init("options", .array(service.options.map { .string($0.name) })),
            .init("limits", limits(service)),
            .init("state", state(engine.gates[service.name]?.snapshot)),
        ])
    }

    private static func limits(_ service: CompiledService) -> JSONValue {
        let bounds = service.constraints
        let rate = service.rate.map { rate in
            JSONValue.object([
                .init("count", .int(rate.count)),
                .init("period_ms", .number(String(rate.period.roundedUpMilliseconds))),
            ])
        }
        return .object([
            .init("bytes", number(bounds.maxBytes)),
            .init("edge", number(bounds.maxEdge)),
            .init("pixels", number(bounds.maxPixels)),
            .init("formats", bounds.formats.map { .array($0.map { .string($0.mime) }) } ?? .null),
            .init("frames", number(service.maxFrames)),
            .init("concurrency", .int(service.concurrency ?? Engine.defaultConcurrency)),
            .init("rate", rate ?? .null),
            .init("attempts", .int(service.attempts)),
            .init("deadline_ms", .number(String(service.deadline.roundedUpMilliseconds))),
        ])
    }

    private static func state(_ snapshot: ServiceGate.Snapshot?) -> JSONValue {
        guard let snapshot else { return .null }
        return .object([
            .init("circuit", .string(snapshot.circuit.rawValue)),
            .init("next_probe_at", time(snapshot.nextProbe)),
            .init("held_until", time(snapshot.heldUntil)),
            .init("waiting", .int(snapshot.waiting)),
            .init("under_way", .int(snapshot.underWay)),
            .init("rate_left", number(snapshot.rateLeft)),
        ])
    }

    private static func number(_ value: Int?) -> JSONValue { value.map { .int($0) } ?? .null }

    private static func time(_ time: Timestamp?) -> JSONValue {
        time.map { .string(Identity.timestamp($0.milliseconds)) } ?? .null
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension AdapterFields {
    /// Keys of a service about how its deliveries are treated beside those of other services.
    static let delivery: [FieldSpec] = [
        FieldSpec(
            "optional",
            .boolean,
            default: "false",
            "true where a failure does not make an upload partial"
        ),
        FieldSpec(
            "shadow",
            .boolean,
            default: "false",
            "true where deliveries are only measured and logged: no answer waits for them or shows them"
        ),
        FieldSpec(
            "duplicates",
            .choice(["send", "reuse"]),
            default: "send",
            "reuse: the same picture with the same caption is not sent again; its link is given again"
        ),
        FieldSpec("breaker", .shaped(.keys(breaker)), "When the service counts as dead, and what follows"),
    ]

    /// The circuit breaker of a service.
    static let breaker = Section(
        "breaker",
        [
            FieldSpec(
                "failures",
                .integer(0...1_000),
                default: "10",
                "Failures of network, time or availability in a row that open the circuit; 0 = never"
            ),
            FieldSpec("pause", .duration, default: "30s", "Time until one delivery is let through as a probe"),
            FieldSpec(
                "longest",
                .duration,
                default: "5m",
                "Longest time between two probes; it doubles with each that fails"
            ),
            FieldSpec(
                "when_open",
                .choice(BreakerRules.WhenOpen.allCases.map(\.rawValue)),
                default: "fail",
                "fail: deliveries that come then fail at once with circuit_open; wait: they wait until their deadline"
            ),
        ]
    )
}

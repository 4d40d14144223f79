// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightGateway

/// A line of the log about the configuration.
enum ConfigurationLine {
    /// The line; what was found stands in `findings`, each with file, line, column and message.
    static func json(
        _ level: String,
        _ message: String,
        _ path: String,
        _ findings: [Diagnostic],
        _ more: [JSONValue.Member] = []
    ) -> JSONValue {
        .object(
            [
                .init("time", .string(Identity.system.timestamp())), .init("level", .string(level)),
                .init("message", .string(message)), .init("file", .string(path)),
            ] + more + [.init("findings", .array(findings.map(\.json)))]
        )
    }
}

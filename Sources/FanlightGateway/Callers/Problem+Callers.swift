// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Problem {
    static func tooFast(until wait: Duration, _ why: String) -> Problem {
        var problem = Problem(.rateLimited, "\(why) Try again after the seconds in Retry-After.")
        problem.retryAfter = seconds(wait)
        return problem
    }

    static func overQuota(until wait: Duration, _ limit: Rate) -> Problem {
        var problem = Problem(
            .quotaExceeded,
            "This key may upload \(limit.count) \(limit.count == 1 ? "picture" : "pictures") in \(words(limit.period)). Try again after the seconds in Retry-After."
        )
        problem.retryAfter = seconds(wait)
        return problem
    }

    static let tooMuchUnderWay = Problem(
        .overloaded,
        "The gateway has as many bytes under way as it may (server.max_spool). Nothing was taken; try again in a moment."
    )

    static func serviceNotAllowed(_ name: String) -> Problem {
        Problem(.serviceNotAllowed, "This key may not use \"\(name.prefix(100))\".", field: "services")
    }

    static let nothingAllowed = Problem(
        .serviceNotAllowed,
        "This key may use no service of the default route. Name a service or route in the field services.",
        field: "services"
    )

    private static func seconds(_ wait: Duration) -> Int { max(1, Int((wait.roundedUpMilliseconds + 999) / 1_000)) }

    /// A period as a phrase.
    static func words(_ period: Duration) -> String {
        let seconds = period.components.seconds
        for (length, name) in [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")] as [(Int64, String)]
        where seconds >= length && seconds % length == 0 {
            return seconds == length ? "\(name == "hour" ? "an" : "a") \(name)" : "\(seconds / length) \(name)s"
        }
        return "\(period.roundedUpMilliseconds) ms"
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// One request of a delivery and what its reply means.
struct StepProgram: Sendable {
    var id: String
    var when: Predicate?
    var isOptional = false
    /// True when a repeated request does no harm.
    var isIdempotent = false
    var request: RequestProgram
    var reply = ReplyProgram()
    var poll: PollProgram?
    var restart: RestartProgram?
    var retryWhen: Predicate?
    /// Requests of this step before it counts as failed.
    var attempts = 1
    /// Wait before the second one.
    var backoff = Duration.seconds(1)

    /// True where the request by its method only asks for something.
    var isQuestion: Bool { poll != nil || ["GET", "HEAD"].contains(request.method) }

    /// True where a repeated request does no harm, whatever became of the one before.
    var isAlwaysRepeatable: Bool { isIdempotent || poll != nil }

    /// True where the request may be repeated by whatever its answer is lost: also where the adapter names all of that.
    ///
    /// This has to be known before the end of the request leaves.
    func isRepeatable(in scope: Scope) -> Bool {
        isAlwaysRepeatable || TransportError.Cause.ofLostAnswers.allSatisfy { isRepeatable(after: $0, in: scope) }
    }

    /// True where the request may be repeated although it had left whole and its answer was lost by this cause.
    func isRepeatable(after cause: TransportError.Cause, in scope: Scope) -> Bool {
        if isAlwaysRepeatable { return true }
        var scope = scope
        scope.networkError = cause.rawValue
        return [restart?.when, retryWhen].contains { $0?.covers(lossIn: scope) ?? false }
    }

    /// True where the request may be repeated after this reply.
    func isRepeatable(after document: ReplyDocument, in scope: Scope) -> Bool {
        isAlwaysRepeatable || [restart?.when, retryWhen].contains { $0?.holds(in: scope, document) ?? false }
    }
}

extension TransportError.Cause {
    /// Those that a request can meet after it had left whole.
    fileprivate static let ofLostAnswers: [Self] = [
        .stallTimeout, .totalTimeout, .connectionLost, .malformedReply, .replyTooLarge, .stopped,
    ]
}

/// A failure that counts as success.
struct RecoverRule: Sendable {
    var when: Predicate
    var name: String
    /// `nil` = those of the step.
    var save: [SaveRule]?
    var link: Sources?
    var page: Sources?
}

/// A name for a value of a reply.
struct SaveRule: Sendable {
    var name: String
    var value: Sources
}

/// A request that is repeated until the service has finished.
struct PollProgram: Sendable {
    /// Longest wait between two of them.
    static let longest = Duration.seconds(60)

    var pending: Predicate?
    var until: Predicate
    var fail: Predicate?
    var every = Duration.seconds(1)
    var interval: WaitRule?
    /// Factor in thousandths.
    var growth = 1_000
    var deadline = Duration.seconds(60)
}

/// Going back to an earlier step after a failure.
struct RestartProgram: Sendable {
    var step: Int
    var when: Predicate
}

/// How a service explains a failure.
struct ErrorRules: Sendable {
    var message: Sources?
    var code: Sources?
    var kinds: [String: ErrorKind] = [:]
    var patterns: [(Pattern, ErrorKind)] = []
}

/// Where a reply says how long to wait.
struct WaitRule: Sendable {
    /// What the number counts; the last two are points in time.
    enum Unit: String, Sendable, CaseIterable {
        case seconds, milliseconds, minutes, unix, unixMS = "unix_ms", timestamp
    }
    var from: Sources
    var unit = Unit.seconds
}

/// How replies to one request are read.
struct ReplyProgram: Sendable {
    var save: [SaveRule] = []
    var ok: Predicate?
    var error = ErrorRules()
    var recover: [RecoverRule] = []
    var waits: [WaitRule] = []
    /// Requests that are left.
    var remaining: Sources?
    /// When there are more.
    var reset: WaitRule?
}

/// What a delivery gives back in the end.
struct ResultProgram: Sendable {
    var link: Sources?
    var page: Sources?
    var thumbnail: Sources?
    var id: Sources?
    var deleteURL: Sources?
    var expiresAt: WaitRule?
    var visibility: Sources?
    var more: [SaveRule] = []

    /// True where the reply's link has to be found without being told where.
    func isSilent(_ captures: [String: JSONValue]) -> Bool {
        link == nil && page == nil && id == nil && ["link", "page", "id"].allSatisfy { captures[$0] == nil }
    }
}

/// A login, or the renewal of a token.
struct SessionProgram: Sendable {
    var steps: [StepProgram]
    /// `nil` = until the service refuses it.
    var ttl: Duration?
    /// Name of the value that says in seconds how long the session lives.
    var lifetime: String?
    var loginRate: Rate?
    var renewWhen: Predicate
    var keepsCookies = false
    /// Values that live longer than a session, such as a refresh token.
    var lasting: [String] = []
    /// Changes when the operator changes the credentials; sessions of others are not used then.
    var fingerprint = ""
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Where a piece of work comes from: what joins log lines and traces of several programs.
struct RequestOrigin: Sendable, Equatable {
    /// Name of the request, the client's own or one that was made; empty = no request, as after a restart.
    var requestID = ""
    /// The trace that the request belongs to; `nil` = none.
    var trace: TraceContext?

    /// Nothing is known.
    static let none = RequestOrigin()

    /// Creates an origin.
    init(requestID: String = "", trace: TraceContext? = nil) {
        self.requestID = requestID
        self.trace = trace
    }

    /// Reads a head that an ``ObservedService`` has cleaned.
    init(_ head: RequestHead, _ policy: TracePolicy, _ identity: Identity) {
        requestID = head.header(Self.requestHeader) ?? ""
        guard policy != .off else { return }
        trace = head.header(TraceContext.header).flatMap { TraceContext($0) }
        trace?.state = head.header(TraceContext.stateHeader)
        if trace == nil, policy == .start { trace = TraceContext(starting: identity) }
    }

    static let requestHeader = "X-Request-Id"

    /// True for what may stand in log lines and headers as it is.
    static func isSane(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.:/+=@".utf8.contains(byte)
                }
            }
    }
}

/// A position in a distributed trace (W3C Trace Context, level 1).
struct TraceContext: Sendable, Equatable {
    /// 32 lower-case hexadecimal digits, not all zero.
    var traceID: String
    /// 16 lower-case hexadecimal digits, not all zero: the span of whoever asks.
    var parentID: String
    /// Two hexadecimal digits.
    var flags: String
    /// `tracestate` as it came, where it is short enough to be passed on.
    var state: String?

    static let header = "traceparent"
    static let stateHeader = "tracestate"

    /// Reads a `traceparent`; `nil` when it is none, as the standard demands for every mistake.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, parts[0].utf8.count == 2, Self.isHex(parts[0]), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            parts[1].utf8.count == 32, Self.isHex(parts[1]), parts[1].contains(where: { $0 != "0" }),
            parts[2].utf8.count == 16, Self.isHex(parts[2]), parts[2].contains(where: { $0 != "0" }),
            parts[3].utf8.count == 2, Self.isHex(parts[3])
        else { return nil }
        (traceID, parentID, flags) = (parts[1], parts[2], parts[3])
    }

    /// A new trace.
    init(starting identity: Identity) {
        traceID = identity.random().hexDigits + identity.random().hexDigits
        parentID = (identity.random() | 1).hexDigits
        flags = "01"
    }

    /// Headers for a request that is a span of its own in this trace.
    func headers(_ identity: Identity) -> [HTTPField] {
        let span = (identity.random() | 1).hexDigits
        // Version 00 is what is written, whatever version came: the standard's rule for a newer one.
        var fields = [HTTPField(Self.header, "00-\(traceID)-\(span)-\(flags)")]
        if let state { fields.append(HTTPField(Self.stateHeader, state)) }
        return fields
    }

    private static func isHex(_ text: String) -> Bool {
        text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

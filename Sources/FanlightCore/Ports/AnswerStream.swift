// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The body of an answer that goes on for as long as there is news, for example server-sent events.
///
/// The service writes, the server reads and sends in chunks. What waits to be sent is bounded, so that a client that does
/// not read costs no more than that.
public final class AnswerStream: Sendable {
    /// What the server found when it asked for bytes.
    public enum Taken: Sendable, Equatable {
        /// At least one byte.
        case bytes([UInt8])
        /// Nothing waits; the wake-up handler is called when that changes.
        case nothing
        /// The body is complete, and all of it was taken.
        case finished
    }

    private struct State {
        var waiting: [UInt8] = []
        var isFinished = false
        var isAbandoned = false
        var wake: (@Sendable () -> Void)?
        var left: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates an empty stream.
    ///
    /// - Parameter limit: Bytes that may wait for a slow client.
    public init(limit: Int = 262_144) { self.limit = limit }

    /// Appends bytes.
    ///
    /// - Returns: False when the client left, or has read so little that the limit is reached; the stream is then over.
    @discardableResult public func write(_ bytes: [UInt8]) -> Bool {
        let (isTaken, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isFinished, !state.isAbandoned else { return (false, nil) }
            guard state.waiting.count + bytes.count <= limit else {
                state.isFinished = true
                return (false, state.wake)
            }
            state.waiting += bytes
            return (true, state.wake)
        }
        wake?()
        return isTaken
    }

    /// Ends the body; what was written before is still sent.
    public func finish() {
        let wake = state.withLock { state in
            state.isFinished = true
            return state.wake
        }
        wake?()
    }

    /// True when the client left before the end.
    public var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Calls a handler once when the client leaves before the end; at once when it left already.
    public func whenAbandoned(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isAbandoned { state.left.append(handler) }
            return state.isAbandoned
        }
        if isLate { handler() }
    }

    /// For the server: takes what waits, at most that many bytes.
    public func take(atMost count: Int) -> Taken {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return state.isFinished ? .finished : .nothing }
            let bytes = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(bytes.count)
            return .bytes(bytes)
        }
    }

    /// For the server: the handler to call when bytes or the end came; `nil` takes it away.
    public func setWake(_ handler: (@Sendable () -> Void)?) { state.withLock { $0.wake = handler } }

    /// For the server: the connection is gone, or the whole body was sent.
    public func close() {
        let handlers = state.withLock { state -> [@Sendable () -> Void] in
            state.wake = nil
            defer { state.left = [] }
            guard !(state.isFinished && state.waiting.isEmpty) else { return [] }
            state.isAbandoned = true
            state.waiting = []
            return state.left
        }
        for handler in handlers { handler() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Answers a request whose answer takes time, such as a look into the journal; a small body is read and not used.
final class WorkSink: BodySink {
    /// Bytes of a body that nobody needs; clients that send one send a form or a few words.
    static let mostBytes = 65_536

    private let received = Mutex(0)
    private let work: @Sendable () async throws(Problem) -> HTTPAnswer

    init(_ work: @escaping @Sendable () async throws(Problem) -> HTTPAnswer) { self.work = work }

    /// Refuses a body that is declared too large, before it is read.
    static func admit(_ head: RequestHead) throws(Problem) {
        if let length = head.contentLength, length > mostBytes { throw .bodyNotWanted(mostBytes) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
        let count = bytes.count
        let sum = received.withLock { sum in
            sum += count
            return sum
        }
        return sum > Self.mostBytes ? Problem.bodyNotWanted(Self.mostBytes).answer : nil
    }

    func finish() async -> HTTPAnswer {
        do throws(Problem) {
            return try await work()
        } catch {
            return error.answer
        }
    }

    func abandon() {}
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Answers a request whose answer takes time, such as a look into the journal; a body is read and not used.
final class WorkSink: BodySink {
    private let work: @Sendable () async throws(Problem) -> HTTPAnswer

    init(_ work: @escaping @Sendable () async throws(Problem) -> HTTPAnswer) { self.work = work }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? { nil }

    func finish() async -> HTTPAnswer {
        do throws(Problem) {
            return try await work()
        } catch {
            return error.answer
        }
    }

    func abandon() {}
}

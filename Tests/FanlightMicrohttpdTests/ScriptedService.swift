// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// A service for tests: `/answer` answers at once, `/refuse` refuses after 1,000 bytes, `/file` sends a file, `/stream` the stream,
/// `/field` says what the header X holds,
/// `/slow` takes its time, everything else says what it got.
final class ScriptedService: HTTPService {
    private let abandoned = Mutex(0)
    private let finished = Mutex(0)
    let file: String
    /// Body of `/stream`.
    let stream = AnswerStream(limit: 100_000)

    init(file: String = "/nonexistent") { self.file = file }

    var abandonCount: Int { abandoned.withLock { $0 } }
    var finishCount: Int { finished.withLock { $0 } }

    func noteAbandon() { abandoned.withLock { $0 += 1 } }
    func noteFinish() { finished.withLock { $0 += 1 } }

    func decide(_ head: RequestHead) -> HeadDecision {
        switch head.path {
        case "/answer": .answer(HTTPAnswer(status: 200, body: .bytes(Array("at once".utf8))))
        case "/field": .answer(HTTPAnswer(status: 200, body: .bytes(Array("[\(head.header("X") ?? "")]".utf8))))
        case "/stream": .answer(HTTPAnswer(status: 200, body: .stream(stream)))
        case "/file":
            .answer(HTTPAnswer(status: 200, headers: [HTTPField("Content-Type", "image/png")], body: .file(path: file)))
        case "/unsafe":
            .answer(HTTPAnswer(status: 200, headers: [HTTPField("X", "a\r\nY: b"), HTTPField("Content-Length", "9")]))
        default: .receive(ScriptedSink(self, head))
        }
    }

    /// Waits until a condition holds, two seconds at most.
    static func eventually(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<200 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return condition()
    }
}

final class ScriptedSink: BodySink {
    private let service: ScriptedService
    private let head: RequestHead
    private let count = Mutex(0)
    private let sum = Mutex(UInt64(0))

    init(_ service: ScriptedService, _ head: RequestHead) {
        self.service = service
        self.head = head
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
        let total = count.withLock { count in
            count += bytes.count
            return count
        }
        guard total < 4_096 || head.path == "/refuse" else { return nil }
        sum.withLock { sum in
            // SAFETY: read within the call.
            for byte in unsafe Array(bytes) { sum = sum &* 31 &+ UInt64(byte) }
        }
        guard head.path == "/refuse", total > 1_000 else { return nil }
        return HTTPAnswer(status: 413, headers: [HTTPField("X-Why", "enough")], body: .bytes(Array("too much".utf8)))
    }

    func finish() async -> HTTPAnswer {
        service.noteFinish()
        if head.path == "/slow" { try? await Task.sleep(for: .milliseconds(600)) }
        if head.path == "/endless" { try? await Task.sleep(for: .seconds(4)) }
        let query = head.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let length = head.contentLength.map(String.init) ?? "nil"
        let text =
            "\(head.method) \(head.path) ?\(query) length=\(length) count=\(count.withLock { $0 })"
            + " sum=\(sum.withLock { $0 }) peer=\(head.peer)\n"
        return HTTPAnswer(status: 200, body: .bytes(Array(text.utf8)))
    }

    func abandon() { service.noteAbandon() }
}

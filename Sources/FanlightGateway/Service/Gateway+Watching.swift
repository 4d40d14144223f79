// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension Gateway {
    /// `GET /v1/uploads/{id}/events`: one event an outcome, then `end` with the report.
    func watch(_ id: String, _ head: RequestHead, _ client: Client) async throws(Problem) -> HTTPAnswer {
        let last = head.header("Last-Event-ID") ?? head.query.first { $0.name == "last_event_id" }?.value
        let upload = try await find(id, client)
        let isOver = registry.find(id) == nil
        // The standard's way to tell a client that it need not come back.
        if last == EventWriter.endID, isOver, upload.record.isComplete { return HTTPAnswer(status: 204) }
        let stream = AnswerStream()
        let writer = EventWriter(stream)
        if isOver { upload.close() }
        upload.watch(writer, after: last.flatMap { Int($0) } ?? 0)
        if registry.isStopping { writer.breakOff() }
        stream.whenAbandoned { upload.unwatch(writer) }
        beat(writer, stream)
        return HTTPAnswer(
            status: 200,
            headers: [
                HTTPField("Content-Type", "text/event-stream"), HTTPField("Cache-Control", "no-store"),
                // Proxies that collect an answer before they pass it on would hold the news back.
                HTTPField("X-Accel-Buffering", "no"),
            ],
            body: .stream(stream)
        )
    }

    private func beat(_ writer: EventWriter, _ stream: AnswerStream) {
        let (clock, pause) = (engine.clock, settings.heartbeat)
        let task = Task {
            while !Task.isCancelled {
                await clock.sleep(clock.now() + pause)
                guard !Task.isCancelled, writer.heartbeat() else { return }
            }
        }
        stream.whenAbandoned { task.cancel() }
    }
}

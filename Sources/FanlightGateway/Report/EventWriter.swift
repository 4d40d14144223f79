// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Writes server-sent events (WHATWG HTML, 9.2) about one upload to one client.
///
/// `delivery` events have the number of their outcome as id, so that a client that lost the connection goes on with
/// `Last-Event-ID`; the last event is `end`, with the whole report.
final class EventWriter: Sendable {
    /// Id of the last event: a client that comes back with it has seen everything.
    static let endID = "end"

    private let stream: AnswerStream

    init(_ stream: AnswerStream) { self.stream = stream }

    func outcome(_ delivery: JournalDelivery, of record: JournalUpload) {
        let entry = Report.Entry(delivery, of: record)
        write("delivery", id: delivery.eventNumber.map(String.init), entry.json)
    }

    /// Deletions have no number: a client that missed one finds it in the report.
    func deletion(_ delivery: JournalDelivery, of record: JournalUpload) {
        guard delivery.deletion?.state != .pending else { return }
        write("deletion", id: nil, DeletionReport.entry(delivery))
    }

    func end(_ report: Report) {
        write("end", id: Self.endID, report.json)
        stream.finish()
    }

    /// Ends the stream without its last event: a client that comes back finds the rest.
    func breakOff() { stream.finish() }

    /// Keeps the connection open through proxies; false when the client is gone.
    func heartbeat() -> Bool { stream.write(Array(": still here\n\n".utf8)) }

    private func write(_ name: String, id: String?, _ data: JSONValue) {
        let line = id.map { "id: \($0)\n" } ?? ""
        // JSON text has no line breaks, so that one data line holds it.
        stream.write(Array("event: \(name)\n\(line)data: \(data.serialized())\n\n".utf8))
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension Gateway {
    /// `GET /v1/uploads`: the history, a page at a time; with `ids`, these uploads in the form of the answer to a POST.
    func history(_ head: RequestHead, _ client: Client) async throws(Problem) -> HTTPAnswer {
        if let ids = head.query.first(where: { $0.name == "ids" })?.value {
            return try await several(ids, head, client)
        }
        var query = try HistoryQuery(head).query
        if !settings.clientKeys.isEmpty { query.client = client.name }
        var (reports, next) = try await page(query)
        let fitting = Self.fitting(reports)
        if fitting < reports.count {
            query.limit = fitting
            (reports, next) = try await page(query)
        }
        return Answer.json(
            200,
            .object([.init("uploads", .array(reports)), .init("next", .optional(next.map(HistoryCursor.text)))])
        )
    }

    /// Bytes of a page: it waits in memory until its client has read it, and many clients may be slow.
    private static let pageSize = 262_144

    /// How many of the reports make a page; at least one.
    private static func fitting(_ reports: [JSONValue]) -> Int {
        var left = pageSize
        let count = reports.prefix { report in
            left -= report.serialized().utf8.count
            return left >= 0
        }.count
        return max(1, count)
    }

    private func page(_ query: JournalQuery) async throws(Problem) -> (reports: [JSONValue], next: String?) {
        let page: JournalPage
        do throws(JournalError) {
            page = try await engine.journal.history(query)
        } catch {
            throw Problem(error)
        }
        // What is under way is known better here than in the journal.
        return (page.uploads.map { Report(registry.find($0.id)?.record ?? $0).json }, page.next)
    }

    private func several(_ ids: String, _ head: RequestHead, _ client: Client) async throws(Problem) -> HTTPAnswer {
        var preference = try Preference(head)
        preference.wait = preference.wait ?? .zero
        let names = ids.split(separator: ",").map(String.init)
        guard (1...100).contains(names.count) else {
            throw Problem(.badField, "ids takes 1 to 100 ids, comma separated.", field: "ids")
        }
        var uploads: [LiveUpload] = []
        for name in names { uploads.append(try await find(name, client)) }
        return await report(uploads, preference)
    }
}

/// The parameters of a look into the history.
struct HistoryQuery {
    private(set) var query = JournalQuery()

    init(_ head: RequestHead) throws(Problem) {
        for field in head.query {
            switch field.name {
            case "cursor":
                if field.value.isEmpty { continue }
                // Any text would do for the journal, and a wrong one would begin from the start, for ever.
                guard let place = HistoryCursor.place(in: field.value) else {
                    throw Problem(.badField, "cursor is the next of the page before.", field: "cursor")
                }
                query.cursor = place
            case "service": query.service = field.value
            case "status":
                guard let status = UploadStatus(rawValue: field.value) else {
                    let known = UploadStatus.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(.badField, "status is one of \(known).", field: "status")
                }
                query.status = status
            case "limit":
                guard let limit = Int(field.value), (1...1_000).contains(limit) else {
                    throw Problem(.badField, "limit is a number from 1 to 1000.", field: "limit")
                }
                query.limit = limit
            case "since": query.since = try Self.time(field)
            case "until": query.until = try Self.time(field)
            default:
                throw Problem(
                    .badField,
                    "The history knows cursor, status, service, since, until, limit and ids.",
                    field: field.name
                )
            }
        }
    }

    /// A time as reports write it, a date, or seconds since 1970.
    private static func time(_ field: HTTPField) throws(Problem) -> Int64 {
        if let seconds = Int64(field.value), seconds.magnitude < 1 << 40 { return seconds * 1_000 }
        guard let time = Identity.milliseconds(field.value) else {
            throw Problem(
                .badField,
                "\(field.name) is a time such as 2026-07-25T14:34:23Z, a date, or seconds since 1970.",
                field: field.name
            )
        }
        return time
    }
}

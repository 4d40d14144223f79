// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// How a client wants its answer.
struct Preference {
    /// `nil` = JSON.
    var format: TextFormat?
    /// How long the client wants to wait; `nil` = as configured.
    var wait: Duration?
    /// Words of `Prefer` that were obeyed (RFC 7240, section 3).
    var applied: [String] = []

    init(_ head: RequestHead) throws(Problem) {
        for field in head.headers where field.name.lowercased() == "prefer" {
            for preference in field.value.lowercased().split(whereSeparator: { $0 == "," || $0 == ";" }) {
                let word = preference.filter { !$0.isWhitespace && $0 != "\"" }
                if word == "respond-async" {
                    wait = wait ?? .zero
                    applied.append(word)
                }
                if word.hasPrefix("wait="), let seconds = Int(word.dropFirst(5)), (0...3_600).contains(seconds) {
                    wait = .seconds(seconds)
                    applied.append(word)
                }
            }
        }
        if let name = head.query.first(where: { $0.name == "format" })?.value, name != "json" {
            guard let format = TextFormat(rawValue: name) else {
                let known = (["json"] + TextFormat.allCases.map(\.rawValue)).joined(separator: ", ")
                throw Problem(.badField, "format is one of \(known).", field: "format")
            }
            self.format = format
        } else if head.header("Accept")?.lowercased().hasPrefix("text/plain") == true {
            format = .text
        }
    }
}

/// Answers that carry reports.
enum Answer {
    /// One report as it is; several as a list, whose status is that of the worst.
    static func of(_ reports: [Report], _ preference: Preference, replayed: Bool = false) -> HTTPAnswer {
        let status = worst(reports)
        var headers: [HTTPField] = []
        if status == 202, let place = location(reports) { headers.append(HTTPField("Location", place)) }
        if replayed { headers.append(HTTPField("Idempotency-Replayed", "true")) }
        if !preference.applied.isEmpty {
            headers.append(HTTPField("Preference-Applied", preference.applied.joined(separator: ", ")))
        }
        guard let format = preference.format else {
            let value = reports.count == 1 ? reports[0].json : .array(reports.map(\.json))
            return json(status, value, headers)
        }
        headers.append(HTTPField("Content-Type", format.contentType))
        let text = reports.map(format.render).joined()
        return HTTPAnswer(
            status: status,
            headers: headers,
            body: .bytes(Array((text.isEmpty ? format.withoutLinks(reports) : text).utf8))
        )
    }

    static func json(_ status: Int, _ value: JSONValue, _ headers: [HTTPField] = []) -> HTTPAnswer {
        HTTPAnswer(
            status: status,
            headers: headers + [HTTPField("Content-Type", "application/json")],
            body: .bytes(Array(value.serialized().utf8))
        )
    }

    /// Where the client finds the rest: the report, or the list of reports in the form of the answer.
    private static func location(_ reports: [Report]) -> String? {
        guard let first = reports.first else { return nil }
        if reports.count == 1 { return "/v1/uploads/\(first.id)" }
        return "/v1/uploads?ids=" + reports.map(\.id).joined(separator: ",")
    }

    private static func worst(_ reports: [Report]) -> Int {
        let all = reports.map(\.httpStatus)
        if all.contains(202) { return 202 }
        if Set(all).count == 1 { return all.first ?? 200 }
        return 207
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// How a client wants its answer.
struct Preference {
    /// `nil` = JSON.
    var format: TextFormat?
    /// How long the client wants to wait; `nil` = as configured.
    var wait: Duration?

    init(_ head: RequestHead) throws(Problem) {
        for field in head.headers where field.name.lowercased() == "prefer" {
            for preference in field.value.lowercased().split(whereSeparator: { $0 == "," || $0 == ";" }) {
                let word = preference.filter { !$0.isWhitespace }
                if word == "respond-async" { wait = wait ?? .zero }
                if word.hasPrefix("wait="), let seconds = Int(word.dropFirst(5)), (0...3_600).contains(seconds) {
                    wait = .seconds(seconds)
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
    static func of(_ reports: [Report], format: TextFormat?) -> HTTPAnswer {
        let status = worst(reports)
        var headers: [HTTPField] = []
        if status == 202, let first = reports.first { headers.append(HTTPField("Location", "/v1/uploads/\(first.id)")) }
        guard let format else {
            let value = reports.count == 1 ? reports[0].json : .array(reports.map(\.json))
            return json(status, value, headers)
        }
        headers.append(HTTPField("Content-Type", format.contentType))
        return HTTPAnswer(
            status: status,
            headers: headers,
            body: .bytes(Array(reports.map(format.render).joined().utf8))
        )
    }

    static func json(_ status: Int, _ value: JSONValue, _ headers: [HTTPField] = []) -> HTTPAnswer {
        HTTPAnswer(
            status: status,
            headers: headers + [HTTPField("Content-Type", "application/json")],
            body: .bytes(Array(value.serialized().utf8))
        )
    }

    private static func worst(_ reports: [Report]) -> Int {
        let all = reports.map(\.httpStatus)
        if all.contains(202) { return 202 }
        if Set(all).count == 1 { return all.first ?? 200 }
        return 207
    }
}

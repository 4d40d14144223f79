// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Answers that the server gives by itself, and the bytes of an answer sent without the library.
enum RawAnswer {
    /// A problem document (RFC 9457).
    static func problem(_ status: Int, code: String, title: String, headers: [HTTPField] = []) -> HTTPAnswer {
        let text = #"{"type":"about:blank","title":"\#(title)","status":\#(status),"code":"\#(code)"}"# + "\n"
        return HTTPAnswer(
            status: status,
            headers: [HTTPField("Content-Type", "application/problem+json")] + headers,
            body: .bytes(Array(text.utf8))
        )
    }

    static let busy = problem(
        503,
        code: "too_many_connections",
        title: "Too many connections",
        headers: [HTTPField("Retry-After", "1")]
    )
    static let addressBusy = problem(
        429,
        code: "too_many_connections",
        title: "Too many connections from this address",
        headers: [HTTPField("Retry-After", "1")]
    )
    static let stopping = problem(
        503,
        code: "stopping",
        title: "The server is stopping",
        headers: [HTTPField("Retry-After", "5")]
    )
    static let tooLarge = problem(413, code: "too_large", title: "The body is too large")
    static let headTooLarge = problem(431, code: "head_too_large", title: "The request head is too large")
    static let badLength = problem(400, code: "bad_framing", title: "The length of the body is not clear")
    static let oddHead = problem(400, code: "bad_framing", title: "The head of the request is malformed")
    static let notFound = problem(404, code: "not_found", title: "Not found")
    static let timeout = problem(408, code: "client_timeout", title: "The request did not arrive in time")

    /// The bytes of an answer that closes the connection.
    ///
    /// A file or a stream as body is left out: callers have none.
    static func bytes(of answer: HTTPAnswer) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = answer.body { body = bytes }
        var head = "HTTP/1.1 \(answer.status) \(reason(answer.status))\r\n"
        for field in answer.headers where isSafe(field) && !isOurs(field.name) {
            head += "\(field.name): \(field.value)\r\n"
        }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// True for the fields that the server writes itself.
    static func isOurs(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection", "date"].contains(name.lowercased())
    }

    /// False when a field would break out of its line.
    static func isSafe(_ field: HTTPField) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 207: "Multi-Status"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 507: "Insufficient Storage"
        default: status < 500 ? "Refused" : "Error"
        }
    }
}

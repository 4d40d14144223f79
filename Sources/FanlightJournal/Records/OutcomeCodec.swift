// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The JSON of what a delivery gave: links, failures, deletions.
enum OutcomeCodec {
    /// Links without what deletes the picture, which is sealed; `nil` when there are none.
    static func text(of links: DeliveryLinks) -> String? {
        var members = Members()
        members["link"] = links.link.map { .string($0) }
        members["page"] = links.page.map { .string($0) }
        members["thumbnail"] = links.thumbnail.map { .string($0) }
        members["expires_at"] = links.expiresAt.map { .string($0) }
        members["visibility"] = links.visibility.map { .string($0) }
        members["more"] =
            links.more.isEmpty ? nil : .array(links.more.map { .array([.string($0.name), .string($0.value)]) })
        members["remote_id"] = links.remoteID.map { .string($0) }
        members["deletable"] = links.deletable ? true : nil
        return members.object == .object([]) ? nil : members.object.serialized()
    }

    /// What deletes a picture, to be sealed; `nil` when there is nothing.
    static func handle(of links: DeliveryLinks) -> JSONValue? {
        var members = Members()
        members["captures"] = SealedColumns.json(of: links.captures)
        members["delete_url"] = links.deleteURL.map { .string($0) }
        return members.object == .object([]) ? nil : members.object
    }

    /// Adds what was sealed.
    static func add(_ handle: JSONValue?, to links: inout DeliveryLinks) {
        links.captures = SealedColumns.values(handle?["captures"])
        links.deleteURL = handle?["delete_url"]?.string
    }

    static func links(_ bytes: [UInt8]?) -> DeliveryLinks {
        guard let bytes, let value = try? JSONParser.parse(bytes) else { return DeliveryLinks() }
        return DeliveryLinks(
            link: value["link"]?.string,
            page: value["page"]?.string,
            thumbnail: value["thumbnail"]?.string,
            expiresAt: value["expires_at"]?.string,
            visibility: value["visibility"]?.string,
            more: (value["more"]?.array ?? []).compactMap { pair in
                guard let name = pair[0]?.string, let value = pair[1]?.string else { return nil }
                return HTTPField(name, value)
            },
            remoteID: value["remote_id"]?.string,
            deletable: value["deletable"]?.bool ?? false
        )
    }

    static func text(of failure: DeliveryFailure) -> String { json(of: failure).serialized() }

    static func failure(_ bytes: [UInt8]?) -> DeliveryFailure? {
        bytes.flatMap { try? JSONParser.parse($0) }.flatMap(failure)
    }

    static func text(of deletion: JournalDeletion) -> String {
        var members = Members()
        members["attempts"] = .int(deletion.attempts)
        members["at"] = .number(String(deletion.at))
        members["failure"] = deletion.failure.map(json)
        return members.object.serialized()
    }

    static func deletion(_ state: String?, _ bytes: [UInt8]?) -> JournalDeletion? {
        guard let state = state.flatMap(JournalDeletion.State.init), let bytes,
            let value = try? JSONParser.parse(bytes)
        else { return nil }
        return JournalDeletion(
            state: state,
            attempts: value["attempts"]?.int ?? 0,
            at: value["at"]?.numberText.flatMap { Int64($0) } ?? 0,
            failure: value["failure"].flatMap(failure)
        )
    }

    private static func json(of failure: DeliveryFailure) -> JSONValue {
        var members = Members()
        members["kind"] = .string(failure.kind.rawValue)
        members["message"] = .string(failure.message)
        members["http_status"] = failure.httpStatus.map { .int($0) }
        switch failure.retry {
        case .retry: members["retry"] = "retry"
        case .retryAfter(let wait):
            members["retry"] = "after"
            members["seconds"] = .number(String(wait.components.seconds))
        case .never: break
        case .unknownOutcome: members["retry"] = "unknown"
        }
        members["may_have_arrived"] = failure.mayHaveArrived ? true : nil
        return members.object
    }

    private static func failure(_ value: JSONValue) -> DeliveryFailure? {
        guard let kind = value["kind"]?.string.flatMap(ErrorKind.init) else { return nil }
        let retry: RetryClass
        switch value["retry"]?.string {
        case "retry": retry = .retry
        case "after": retry = .retryAfter(.seconds(value["seconds"]?.int ?? 0))
        case "unknown": retry = .unknownOutcome
        default: retry = .never
        }
        return DeliveryFailure(
            kind: kind,
            message: value["message"]?.string ?? "",
            httpStatus: value["http_status"]?.int,
            retry: retry,
            mayHaveArrived: value["may_have_arrived"]?.bool ?? false
        )
    }
}

/// Sealed columns of a delivery.
struct SealedColumns: Sendable {
    let seal: Seal

    func sealed(_ value: JSONValue?, _ column: String, _ upload: String, _ position: Int) throws(JournalError)
        -> SQLiteValue
    {
        guard let value else { return .null }
        let text = Array(value.serialized().utf8)
        guard let bytes = seal.sealed(text, context: "\(column) \(upload) \(position)") else {
            throw .failed(code: 0, reason: "a value cannot be sealed")
        }
        return .blob(bytes)
    }

    func opened(_ bytes: [UInt8]?, _ column: String, _ upload: String, _ position: Int) throws(JournalError)
        -> JSONValue?
    {
        guard let bytes else { return nil }
        guard let text = seal.opened(bytes, context: "\(column) \(upload) \(position)") else { throw .wrongKey }
        // It may hold a value of a reply, which may be as deep as a reply may be, with something around it.
        return try? JSONParser.parse(text, maxDepth: JSONParser.deepest)
    }

    static func json(of values: [String: String]) -> JSONValue? {
        if values.isEmpty { return nil }
        return .object(values.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
    }

    static func values(_ json: JSONValue?) -> [String: String] {
        var values: [String: String] = [:]
        for member in json?.object ?? [] { values[member.name] = member.value.string }
        return values
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Turns a custom uploader of ShareX into an adapter.
struct ShareXImport {
    let descriptor: ShareXDescriptor
    var draft: AdapterDraft

    /// Where a text stands, which decides what its functions mean.
    enum Place {
        case url, parameter, header, argument, data, reply

        /// True where ShareX also replaces codes such as `%y`.
        var hasCodes: Bool { [.parameter, .header, .argument, .data].contains(self) }
        /// True where the name of the file is percent-encoded.
        var encodesName: Bool { self == .url || self == .reply }
    }

    /// Makes an adapter.
    static func draft(_ value: JSONValue, name: String?) throws(ImportError) -> AdapterDraft {
        let descriptor = try ShareXDescriptor(value)
        var work = ShareXImport(
            descriptor: descriptor,
            draft: AdapterDraft(
                name: name ?? AdapterDraft.word(descriptor.name, or: "imported"),
                description: "\(descriptor.name), from a custom uploader of ShareX",
                origin: descriptor.dialect.rawValue
            )
        )
        for remark in descriptor.remarks { work.draft.remark(remark) }
        try work.makeRequest()
        work.makeReply()
        return work.draft
    }

    private mutating func makeRequest() throws(ImportError) {
        var url = text(descriptor.url, .url, named: "RequestURL")
        if url.firstRange(of: "://") == nil { url = "https://" + url }
        draft.request.append(.init("url", .string(url)))
        if descriptor.method != "POST" { draft.request.append(.init("method", .string(descriptor.method))) }
        add("query", descriptor.parameters, .parameter)
        addHeaders()
        try addBody()
    }

    /// Values by name; telling ones become settings.
    private mutating func add(_ key: String, _ pairs: [(name: String, value: String)], _ place: Place) {
        let members = members(pairs, place)
        if !members.isEmpty { draft.request.append(.init(key, .object(members))) }
    }

    mutating func members(_ pairs: [(name: String, value: String)], _ place: Place) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        for (name, value) in pairs {
            if members.contains(where: { $0.name == name }) {
                draft.remark("'\(name)' stands twice; the first counts")
                continue
            }
            members.append(.init(name, .string(value.isEmpty ? "" : credential(name, value, place))))
        }
        return members
    }

    private mutating func credential(_ name: String, _ value: String, _ place: Place) -> String {
        let pieces = descriptor.dialect.pieces(value).pieces
        guard Telling.isTelling(name), case .literal(let literal)? = pieces.first, pieces.count == 1 else {
            return text(value, place, named: name)
        }
        return draft.secret(name, literal, "what the uploader had as \(name)")
    }

    private mutating func addHeaders() {
        var others: [(name: String, value: String)] = []
        for (name, value) in descriptor.headers {
            switch name.lowercased() {
            case "authorization": addAuthorization(value)
            case "content-length", "host", "connection", "transfer-encoding", "expect":
                draft.remark("the header \(name) is made by the gateway itself; left out")
            case "content-type" where descriptor.body == .multipart:
                draft.remark("the header \(name) is made by the gateway itself; left out")
            default: others.append((name, value))
            }
        }
        add("headers", others, .header)
    }

    /// Basic and bearer credentials by their kind, everything else as it is.
    private mutating func addAuthorization(_ value: String) {
        let pieces = descriptor.dialect.pieces(value).pieces
        var members: [JSONValue.Member] = []
        if case .literal(let scheme)? = pieces.first, scheme.lowercased() == "basic ", pieces.count == 2,
            case .call("base64", let arguments) = pieces[1], let pair = Self.literal(arguments),
            let colon = pair.firstIndex(of: ":")
        {
            let password = draft.secret(
                "password",
                String(pair[pair.index(after: colon)...]),
                "password of the account"
            )
            let user = String(pair[..<colon])
            draft.settings.insert(
                AdapterDraft.Declared(
                    name: "username",
                    isRequired: true,
                    description: "name of the account",
                    sample: user
                ),
                at: 0
            )
            members = [
                .init("type", "basic"), .init("username", "${setting.username}"), .init("password", .string(password)),
            ]
        } else if case .literal(let text)? = pieces.first, pieces.count == 1 {
            let words = text.split(separator: " ", maxSplits: 1).map(String.init)
            if words.count == 2, words[0].lowercased() == "bearer" {
                let token = draft.secret("token", words[1], "token of the account")
                members = [.init("type", "bearer"), .init("token", .string(token))]
            } else {
                let secret = draft.secret("token", words.last ?? text, "what the uploader had as Authorization")
                let prefix = words.count == 2 ? words[0] + " " : ""
                members = [.init("type", "header"), .init("value", .string(prefix + secret))]
            }
        } else {
            members = [
                .init("type", "header"), .init("value", .string(text(value, .header, named: "Authorization"))),
            ]
        }
        draft.request.append(.init("auth", .object(members)))
    }

    /// The characters of a single argument without functions.
    static func literal(_ arguments: [[ShareXPiece]]) -> String? {
        guard arguments.count == 1, arguments[0].count <= 1 else { return nil }
        guard let piece = arguments[0].first else { return "" }
        if case .literal(let text) = piece { return text }
        return nil
    }
}

/// Names whose values are credentials.
enum Telling {
    private static let words = ["auth", "key", "token", "secret", "password", "passwd", "pwd", "cookie", "session"]

    /// True where a value of that name should not be passed on.
    static func isTelling(_ name: String) -> Bool {
        let name = name.lowercased()
        return words.contains { name.contains($0) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// HTTP Digest.
///
/// A challenge is kept for the service, so that only its first request is sent twice.
///
/// Source: RFC 7616.
struct DigestAuthentication: Sendable {
    var username: Choice
    var password: Choice
    let memory = Memory()

    /// A challenge of a server.
    struct Challenge: Sendable, Equatable {
        var realm: String
        var nonce: String
        var opaque: String?
        var algorithm: DigestKind
        var isSession: Bool
        /// As the server wrote it; `nil` = not at all.
        var algorithmName: String?
        /// True where `qop` has `auth`.
        var hasQuality: Bool
        var hashesUser: Bool
        /// True where only the nonce of the last answer was too old.
        var isStale: Bool
    }

    /// The last challenge, and how often it was answered.
    final class Memory: Sendable {
        private let state = Mutex<(challenge: Challenge?, count: Int)>((nil, 0))

        /// The challenge and the number of this answer.
        func next() -> (Challenge, Int)? {
            state.withLock { state in
                guard let challenge = state.challenge else { return nil }
                state.count += 1
                return (challenge, state.count)
            }
        }

        /// Keeps a new challenge.
        func keep(_ challenge: Challenge) { state.withLock { $0 = (challenge, 0) } }
    }

    /// Answers the challenge that is known; without one the request goes out as it is.
    func sign(_ request: inout HTTPRequest, in scope: Scope) throws(DeliveryFailure) {
        guard let (challenge, count) = memory.next(), let address = WebAddress(request.url) else { return }
        let user = try username.text(in: scope) ?? ""
        let word = try password.text(in: scope) ?? ""
        let path = address.path + (address.query.map { "?" + $0 } ?? "")
        let answer = Self.answer(challenge, user, word, request.method, path, count, clientNonce: scope.nonce)
        request.headers.append(HTTPField("Authorization", answer))
    }

    /// The value of an Authorization header.
    static func answer(
        _ challenge: Challenge,
        _ user: String,
        _ password: String,
        _ method: String,
        _ path: String,
        _ count: Int,
        clientNonce: String
    ) -> String {
        func hash(_ text: String) -> String {
            TextCoding.hex(Digests.digest(challenge.algorithm, of: Array(text.utf8)))
        }
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        var secret = hash([user, challenge.realm, password].joined(separator: ":"))
        if challenge.isSession { secret = hash([secret, challenge.nonce, clientNonce].joined(separator: ":")) }
        let request = hash(method + ":" + path)
        let middle = challenge.hasQuality ? [challenge.nonce, number, clientNonce, "auth"] : [challenge.nonce]
        let response = hash(([secret] + middle + [request]).joined(separator: ":"))
        func quoted(_ name: String, _ value: String) -> String {
            let escaped = Words.replacing("\"", with: "\\\"", in: Words.replacing("\\", with: "\\\\", in: value))
            return name + "=\"" + RequestProgram.headerText(escaped) + "\""
        }
        let shownUser = challenge.hashesUser ? hash(user + ":" + challenge.realm) : user
        var fields = [
            quoted("username", shownUser), quoted("realm", challenge.realm), quoted("uri", path),
        ]
        if let name = challenge.algorithmName { fields.append("algorithm=" + name) }
        fields.append(quoted("nonce", challenge.nonce))
        if challenge.hasQuality {
            fields += ["nc=" + number, quoted("cnonce", clientNonce), "qop=auth"]
        }
        fields.append(quoted("response", response))
        if let opaque = challenge.opaque { fields.append(quoted("opaque", opaque)) }
        if challenge.hashesUser { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// The best Digest challenge of a reply; `nil` when there is none that can be answered.
    static func challenge(in reply: HTTPReply) -> Challenge? {
        let values = reply.headers.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value)
        let found = values.flatMap(challenges)
        let order: [DigestKind] = [.sha256, .md5]
        return order.lazy.compactMap { kind in found.first { $0.algorithm == kind } }.first
    }

    /// Challenges in one header value, which may hold several schemes.
    private static func challenges(_ value: String) -> [Challenge] {
        ChallengeReader.read(value).filter { $0.scheme == "digest" }.compactMap { found in
            let parameters = found.parameters
            guard let realm = parameters["realm"], let nonce = parameters["nonce"] else { return nil }
            let name = parameters["algorithm"]
            let upper = (name ?? "MD5").uppercased()
            let base = upper.hasSuffix("-SESS") ? String(upper.dropLast(5)) : upper
            guard let algorithm = ["MD5": DigestKind.md5, "SHA-256": .sha256][base] else { return nil }
            let qualities = parameters["qop"]?.split(separator: ",").map { Words.trimmed($0).lowercased() }
            if let qualities, !qualities.contains("auth") { return nil }
            return Challenge(
                realm: realm,
                nonce: nonce,
                opaque: parameters["opaque"],
                algorithm: algorithm,
                isSession: upper.hasSuffix("-SESS"),
                algorithmName: name,
                hasQuality: qualities != nil,
                hashesUser: parameters["userhash"]?.lowercased() == "true",
                isStale: parameters["stale"]?.lowercased() == "true"
            )
        }
    }
}

/// Reads the schemes and parameters of a WWW-Authenticate header.
enum ChallengeReader {
    /// One scheme, lower case, with its parameters by lower-case name.
    struct Found {
        var scheme: String
        var parameters: [String: String]
    }

    /// Reads `Digest realm="x", nonce="y", Basic realm="z"`.
    static func read(_ value: String) -> [Found] {
        var found: [Found] = []
        for piece in pieces(value) {
            let equals = piece.firstIndex(of: "=")
            var name = Words.trimmed(piece[..<(equals ?? piece.endIndex)])
            if let blank = name.lastIndex(where: \.isWhitespace) {
                found.append(Found(scheme: Words.trimmed(name[..<blank]).lowercased(), parameters: [:]))
                name = Words.trimmed(name[name.index(after: blank)...])
            } else if equals == nil {
                found.append(Found(scheme: name.lowercased(), parameters: [:]))
                continue
            }
            guard let equals, !found.isEmpty else { continue }
            found[found.count - 1].parameters[name.lowercased()] = unquoted(piece[piece.index(after: equals)...])
        }
        return found
    }

    /// Splits at commas outside quotes.
    private static func pieces(_ value: String) -> [String] {
        var pieces = [""]
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if character == ",", !isQuoted {
                pieces.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            pieces[pieces.count - 1].append(character)
        }
        return pieces.map(Words.trimmed).filter { !$0.isEmpty }
    }

    private static func unquoted(_ text: Substring) -> String {
        let trimmed = Words.trimmed(text)
        guard trimmed.count >= 2, trimmed.first == "\"", trimmed.last == "\"" else { return trimmed }
        var out = ""
        var isEscaped = false
        for character in trimmed.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                out.append(character)
                isEscaped = false
            }
        }
        return out
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Signature version 4 of Amazon, in headers.
///
/// Source: AWS Signature Version 4 signing process; object stores encode the path once, other services twice.
struct AWSSignature: Sendable {
    var service: String
    var region: Choice
    var accessKey: Choice
    var secretKey: Choice
    var sessionToken: Choice?
    /// False sends `UNSIGNED-PAYLOAD`.
    var signsPayload = true
    /// True for services that encode the path again before they sign it.
    var encodesPathTwice = false

    var variables: [Variable] {
        [region, accessKey, secretKey].flatMap(\.variables) + (sessionToken?.variables ?? [])
            + (signsPayload ? [.file(.sha256)] : [])
    }

    /// Adds the date, the body's hash and the signature.
    func sign(_ request: inout HTTPRequest, in scope: Scope) throws(DeliveryFailure) {
        guard let address = WebAddress(request.url) else { return }
        let moment = Moment(unix: scope.context.now)
        let date = moment.formatted("yyyyMMddTHHmmssZ")
        let hash = signsPayload ? try BodyHash.sha256(of: request.body, in: scope) : "UNSIGNED-PAYLOAD"
        request.headers.append(HTTPField("x-amz-date", date))
        request.headers.append(HTTPField("x-amz-content-sha256", hash))
        if let token = try sessionToken?.text(in: scope) {
            request.headers.append(HTTPField("x-amz-security-token", RequestProgram.headerText(token)))
        }
        let fields = Self.signedFields(request.headers, host: address.hostHeader)
        let names = fields.map(\.name).joined(separator: ";")
        let canonical = canonicalRequest(request.method, address, fields, names, hash)
        let region = try Authorization.needed(region, "region", in: scope)
        let place = [String(date.prefix(8)), region, service, "aws4_request"].joined(separator: "/")
        let text = ["AWS4-HMAC-SHA256", date, place, Self.hash(canonical)].joined(separator: "\n")
        let secret = try Authorization.needed(secretKey, "secret_key", in: scope)
        let signature = Self.signature(text, secret: secret, steps: place.split(separator: "/").map(String.init))
        let access = try Authorization.needed(accessKey, "access_key", in: scope)
        let value = "AWS4-HMAC-SHA256 Credential=\(access)/\(place), SignedHeaders=\(names), Signature=\(signature)"
        request.headers.append(HTTPField("Authorization", RequestProgram.headerText(value)))
    }

    /// Names in lower case and sorted, values trimmed with single blanks; every header that we send, and Host.
    static func signedFields(_ headers: [HTTPField], host: String) -> [HTTPField] {
        let fields = headers.map { field in
            HTTPField(field.name.lowercased(), field.value.split(separator: " ").joined(separator: " "))
        }
        let merged = Dictionary(fields.map { ($0.name, $0.value) }) { $0 + "," + $1 }
        let all = merged.merging(["host": host]) { own, _ in own }
        return all.map { HTTPField($0.key, $0.value) }.sorted { ByteOrder.isLess($0.name, $1.name) }
    }

    /// What is signed of a request.
    func canonicalRequest(
        _ method: String,
        _ address: WebAddress,
        _ fields: [HTTPField],
        _ names: String,
        _ hash: String
    ) -> String {
        let once = TextCoding.percentEncoded(TextCoding.percentDecoded(address.path), keeping: "/")
        let path = encodesPathTwice ? TextCoding.percentEncoded(once, keeping: "/") : once
        let pairs = address.pairs.map { (TextCoding.percentEncoded($0.name), TextCoding.percentEncoded($0.value)) }
        let sorted = pairs.sorted { $0.0 == $1.0 ? ByteOrder.isLess($0.1, $1.1) : ByteOrder.isLess($0.0, $1.0) }
        let query = sorted.map { $0.0 + "=" + $0.1 }.joined(separator: "&")
        let head = fields.map { $0.name + ":" + $0.value + "\n" }.joined()
        return [method, path, query, head, names, hash].joined(separator: "\n")
    }

    /// The signature of a text with the key for a day, a region and a service.
    static func signature(_ text: String, secret: String, steps: [String]) -> String {
        let key = steps.reduce(Array(("AWS4" + secret).utf8)) { Digests.hmac(.sha256, key: $0, Array($1.utf8)) }
        return TextCoding.hex(Digests.hmac(.sha256, key: key, Array(text.utf8)))
    }

    private static func hash(_ text: String) -> String { TextCoding.hex(Digests.digest(.sha256, of: Array(text.utf8))) }
}

/// The hash of a body that is about to be sent.
enum BodyHash {
    /// Lower-case hexadecimal SHA-256; the picture is read from the disk in pieces.
    static func sha256(of body: HTTPRequest.Body, in scope: Scope) throws(DeliveryFailure) -> String {
        switch body {
        case .empty: return TextCoding.hex(Digests.digest(.sha256, of: []))
        case .bytes(let bytes): return TextCoding.hex(Digests.digest(.sha256, of: bytes))
        case .file:
            if let digest = scope.pictureDigest(.sha256) { return TextCoding.hex(digest) }
            throw DeliveryFailure(kind: .unavailable, message: "The spool file cannot be read.", retry: .retry)
        case .multipart, .pieces:
            let message = "\(scope.service) signs bodies, which a form is not; use raw, or payload: unsigned"
            throw DeliveryFailure(kind: .rejected, message: message)
        }
    }
}

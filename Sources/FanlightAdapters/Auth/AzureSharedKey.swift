// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Shared Key signatures of Azure Storage.
///
/// Source: Microsoft, "Authorize with Shared Key", Blob service, version 2009-09-19 and later.
struct AzureSharedKey: Sendable {
    var account: Choice
    /// In base64.
    var key: Choice

    var variables: [Variable] { account.variables + key.variables }

    /// Adds the date where the adapter did not, and the signature.
    func sign(_ request: inout HTTPRequest, in scope: Scope) throws(DeliveryFailure) {
        guard let address = WebAddress(request.url) else { return }
        func has(_ name: String) -> Bool { request.headers.contains { $0.name.lowercased() == name } }
        if !has("x-ms-date") { request.headers.append(HTTPField("x-ms-date", Moment(unix: scope.context.now).http)) }
        if !has("x-ms-version") { request.headers.append(HTTPField("x-ms-version", "2021-08-06")) }
        let account = try Authorization.needed(account, "account", in: scope)
        let secret = try Authorization.needed(key, "key", in: scope)
        guard let bytes = TextCoding.base64Decoded(secret) else {
            throw DeliveryFailure(kind: .auth, message: "The key of \(scope.service) is not base64.")
        }
        let text = Self.text(request, address, account: account)
        let signature = TextCoding.base64(Digests.hmac(.sha256, key: bytes, Array(text.utf8)))
        request.headers.append(HTTPField("Authorization", "SharedKey \(account):\(signature)"))
    }

    /// The text that is signed.
    static func text(_ request: HTTPRequest, _ address: WebAddress, account: String) -> String {
        func header(_ name: String) -> String {
            request.headers.first { $0.name.lowercased() == name }?.value ?? ""
        }
        let length = request.body.size ?? 0
        let standard =
            [
                request.method, header("content-encoding"), header("content-language"),
                length == 0 ? "" : String(length),
                header("content-md5"), header("content-type"), "", header("if-modified-since"), header("if-match"),
                header("if-none-match"), header("if-unmodified-since"), header("range"),
            ]
        let own = request.headers.map { (name: $0.name.lowercased(), value: Words.trimmed($0.value)) }
            .filter { $0.name.hasPrefix("x-ms-") }.sorted { ByteOrder.isLess($0.name, $1.name) }
            .map { $0.name + ":" + $0.value }
        let grouped = Dictionary(grouping: address.pairs) { $0.name.lowercased() }
        let parameters = grouped.keys.sorted(by: ByteOrder.isLess).map { name in
            name + ":" + (grouped[name] ?? []).map(\.value).sorted(by: ByteOrder.isLess).joined(separator: ",")
        }
        return (standard + own + ["/" + account + address.path] + parameters).joined(separator: "\n")
    }
}

extension HTTPRequest.Body {
    /// Bytes that are sent; `nil` for a form whose boundary the transport makes.
    var size: Int? {
        switch self {
        case .empty: 0
        case .bytes(let bytes): bytes.count
        case .file(let file): file.size
        case .pieces(let pieces): pieces.reduce(0) { $0 + $1.size }
        case .multipart: nil
        }
    }
}

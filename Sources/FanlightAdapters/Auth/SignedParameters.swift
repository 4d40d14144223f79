// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A hash over the sorted fields of a request and a secret.
struct SignedParameters: Sendable {
    var algorithm = DigestKind.sha1
    var secret: Choice
    var isPrefix = false
    var excluded: Set<String> = []
    /// What stands for certain characters of a value, in order.
    var escapes: [(character: String, replacement: String)] = []
    var joiner = "="
    var separator = "&"
    /// Field that takes the hash.
    var field = "signature"

    /// Adds the hash to the fields that it is made of.
    func sign(_ draft: inout RequestDraft, in scope: Scope) throws(DeliveryFailure) {
        let secret = try Authorization.needed(secret, "secret", in: scope)
        let hash = TextCoding.hex(Digests.digest(algorithm, of: Array(text(draft, secret: secret).utf8)))
        switch draft.body {
        case .form, .multipart: draft.addField(field, hash)
        default: draft.query.append(HTTPField(field, hash))
        }
    }

    /// The text that is hashed.
    func text(_ draft: RequestDraft, secret: String) -> String {
        let fields = draft.texts + draft.query
        let pairs = fields.filter { !$0.value.isEmpty && !excluded.contains($0.name) }.map { field in
            let value = escapes.reduce(field.value) {
                Words.replacing($1.character, with: $1.replacement, in: $0)
            }
            return field.name + joiner + value
        }
        let list = pairs.sorted(by: ByteOrder.isLess).joined(separator: separator)
        return isPrefix ? secret + list : list + secret
    }
}

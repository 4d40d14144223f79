// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// Seals what must not be readable on disk: AES-256-GCM under a key that HKDF with SHA-256 makes of the operator's text.
///
/// A sealed value is the byte 1, a fresh nonce of 12 bytes, the tag of 16 bytes, then the sealed bytes. The context
/// (which row, which column) is authenticated with it, so that a value moved to another row does not open.
struct Seal: Sendable {
    private static let version: UInt8 = 1
    private static let nonceCount = 12
    private static let tagCount = 16
    private let key: [UInt8]

    /// Derives the key from any text or bytes; `nil` when libcrypto refuses (C: HKDF with HMAC-SHA256).
    init?(secret: [UInt8]) {
        // RFC 5869 with an empty salt: extract, then the first block of expand, which is 32 bytes as is the key.
        let extracted = Self.hmac(key: [UInt8](repeating: 0, count: 32), secret)
        let expanded = Self.hmac(key: extracted, Array("fanlight journal seal 1".utf8) + [1])
        guard expanded.count == 32 else { return nil }
        key = expanded
    }

    /// Seals bytes; `nil` when libcrypto fails.
    func sealed(_ bytes: [UInt8], context: String) -> [UInt8]? {
        guard let nonce = Self.nonce() else { return nil }
        var out = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: Self.tagCount)
        let additional = Array(context.utf8)
        // SAFETY: the context is made, used and freed here alone; every array outlives the call that reads or fills it,
        // and GCM gives exactly as many bytes as it takes.
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var count: Int32 = 0
        guard unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            unsafe EVP_EncryptUpdate(cipher, nil, &count, additional, Int32(additional.count)) == 1,
            unsafe EVP_EncryptUpdate(cipher, &out, &count, bytes, Int32(bytes.count)) == 1,
            unsafe EVP_EncryptFinal_ex(cipher, nil, &count) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), &tag) == 1
        else { return nil }
        return [Self.version] + nonce + tag + out
    }

    /// Opens what ``sealed(_:context:)`` gave; `nil` when key, context or bytes are others.
    func opened(_ sealed: [UInt8], context: String) -> [UInt8]? {
        let head = 1 + Self.nonceCount + Self.tagCount
        guard sealed.count >= head, sealed[0] == Self.version else { return nil }
        let nonce = Array(sealed[1..<(1 + Self.nonceCount)])
        var tag = Array(sealed[(1 + Self.nonceCount)..<head])
        let body = Array(sealed[head...])
        var out = [UInt8](repeating: 0, count: body.count)
        let additional = Array(context.utf8)
        // SAFETY: as above.
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var count: Int32 = 0
        guard unsafe EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            unsafe EVP_DecryptUpdate(cipher, nil, &count, additional, Int32(additional.count)) == 1,
            unsafe EVP_DecryptUpdate(cipher, &out, &count, body, Int32(body.count)) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag) == 1,
            unsafe EVP_DecryptFinal_ex(cipher, nil, &count) == 1
        else { return nil }
        return out
    }

    /// Fresh bytes of libcrypto's generator, which calls the system now and then only (C: RAND_bytes); `nil` when it fails.
    private static func nonce() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: nonceCount)
        // SAFETY: the array holds as many bytes as are asked for.
        return unsafe RAND_bytes(&bytes, Int32(nonceCount)) == 1 ? bytes : nil
    }

    private static func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 64)
        var size: UInt32 = 0
        // SAFETY: all arrays outlive the call; 64 bytes hold the result.
        let done = unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &out, &size)
        return unsafe done == nil ? [] : Array(out.prefix(Int(size)))
    }
}

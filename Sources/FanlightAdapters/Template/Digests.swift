// SPDX-License-Identifier: Apache-2.0

import CCrypto
import FanlightCore

/// A hash that templates may ask for.
enum DigestKind: String, Sendable, CaseIterable { case md5, sha1, sha256, sha512 }

/// Hashes of libcrypto; the only file that sees it.
enum Digests {
    /// The hash of bytes (C: EVP_Digest).
    static func digest(_ kind: DigestKind, of bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 64)
        var size: UInt32 = 0
        // SAFETY: both arrays outlive the call; 64 bytes hold the longest hash of libcrypto (EVP_MAX_MD_SIZE).
        let done = unsafe EVP_Digest(bytes, bytes.count, &out, &size, algorithm(kind), nil)
        return done == 1 ? Array(out.prefix(Int(size))) : []
    }

    /// The hash of a whole spool file, read in pieces (C: EVP_DigestUpdate); `nil` when the disk fails.
    static func digest(_ kind: DigestKind, of file: SpooledFile) -> [UInt8]? {
        guard let running = RunningDigest(kind) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var offset = 0
        while offset < file.size {
            // SAFETY: the pointer is used inside the closure only.
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                let got = unsafe file.read(into: bytes, at: offset)
                if got > 0 { unsafe running.add(UnsafeRawBufferPointer(rebasing: bytes[..<got])) }
                return got
            }
            guard got > 0 else { return nil }
            offset += got
        }
        return running.finish()
    }

    /// Keyed hash, RFC 2104 (C: HMAC).
    static func hmac(_ kind: DigestKind, key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: 64)
        var size: UInt32 = 0
        // SAFETY: all arrays outlive the call; 64 bytes hold the result.
        let done = unsafe HMAC(algorithm(kind), key, Int32(key.count), bytes, bytes.count, &out, &size)
        return unsafe done == nil ? [] : Array(out.prefix(Int(size)))
    }

    fileprivate static func algorithm(_ kind: DigestKind) -> OpaquePointer? {
        // SAFETY: libcrypto's method tables are static.
        switch kind {
        case .md5: unsafe EVP_md5()
        case .sha1: unsafe EVP_sha1()
        case .sha256: unsafe EVP_sha256()
        case .sha512: unsafe EVP_sha512()
        }
    }
}

/// A hash of bytes that come bit by bit (C: EVP_DigestInit_ex, EVP_DigestUpdate, EVP_DigestFinal_ex); single owner.
@safe
final class RunningDigest {
    private let context: OpaquePointer
    private var isSound = true

    init?(_ kind: DigestKind) {
        // SAFETY: freed in `deinit`, or at once when it cannot be used.
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        guard unsafe EVP_DigestInit_ex(context, Digests.algorithm(kind), nil) == 1 else {
            unsafe EVP_MD_CTX_free(context)
            return nil
        }
        unsafe self.context = unsafe context
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func add(_ bytes: UnsafeRawBufferPointer) {
        // SAFETY: the buffer is the caller's and lives through the call.
        isSound = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isSound
    }

    func finish() -> [UInt8]? {
        var out = [UInt8](repeating: 0, count: 64)
        var size: UInt32 = 0
        // SAFETY: 64 bytes hold the longest hash of libcrypto (EVP_MAX_MD_SIZE).
        guard isSound, unsafe EVP_DigestFinal_ex(context, &out, &size) == 1 else { return nil }
        return Array(out.prefix(Int(size)))
    }
}

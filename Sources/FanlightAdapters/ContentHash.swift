// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Hashes for those who do not write templates.
public enum ContentHash {
    /// Lower-case hexadecimal SHA-256 of a spool file; `nil` when the disk fails.
    public static func sha256(of file: SpooledFile) -> String? {
        file.sha256 ?? Digests.digest(.sha256, of: file).map(hexadecimal)
    }

    fileprivate static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }

    /// A SHA-256 of bytes that come bit by bit; single owner.
    public final class Running {
        private let digest: RunningDigest

        /// Starts; `nil` when libcrypto refuses.
        public init?() {
            guard let digest = RunningDigest(.sha256) else { return nil }
            self.digest = digest
        }

        /// Takes the next bytes.
        public func add(_ bytes: UnsafeRawBufferPointer) { unsafe digest.add(bytes) }

        /// The hash, lower-case hexadecimal; nothing may be added afterwards.
        public func finish() -> String? { digest.finish().map(ContentHash.hexadecimal) }
    }

    /// Lower-case hexadecimal SHA-256 of bytes.
    public static func sha256(of bytes: [UInt8]) -> String { hexadecimal(Digests.digest(.sha256, of: bytes)) }

    /// Lower-case hexadecimal HMAC-SHA256 of bytes.
    public static func hmacSHA256(of bytes: [UInt8], key: [UInt8]) -> String {
        hexadecimal(Digests.hmac(.sha256, key: key, bytes))
    }
}

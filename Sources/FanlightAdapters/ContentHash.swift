// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Hashes of whole files for those who do not write templates.
public enum ContentHash {
    /// Lower-case hexadecimal SHA-256 of a spool file; `nil` when the disk fails.
    public static func sha256(of file: SpooledFile) -> String? {
        Digests.digest(.sha256, of: file).map { bytes in
            bytes.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        }
    }
}

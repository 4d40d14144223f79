// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Testing

@testable import FanlightMetadata

/// The fuzzer's seeds are made here; with `FANLIGHT_RECORD` set they are written, and the test fails.
@Suite struct SeedTests {
    private static let corpora =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Corpora"

    private static let isRecording: Bool = {
        // SAFETY: only whether the variable is there is asked.
        guard let value = unsafe getenv("FANLIGHT_RECORD") else { return false }
        return unsafe value.pointee != 0
    }()

    @Test(arguments: Seeds.all.keys.sorted()) func seedsAreWhatTheirMakersMake(_ reader: String) {
        for (name, bytes) in Seeds.all[reader] ?? [:] {
            let path = "\(Self.corpora)/\(reader)/seed-\(name)"
            if Self.isRecording {
                // SAFETY: the path is a whole string.
                _ = unsafe mkdir("\(Self.corpora)/\(reader)", 0o755)
                Self.write(bytes, to: path)
                Issue.record("recorded \(path)")
            } else {
                #expect(CorpusRow.read(path) == bytes, "\(path): record anew with FANLIGHT_RECORD=1")
            }
        }
    }

    @Test func everyPictureSeedIsAPicture() {
        for reader in ["jpeg", "png", "gif", "webp", "tiff", "bmp", "heif"] {
            for (name, bytes) in Seeds.all[reader] ?? [:] {
                #expect(throws: Never.self, "\(reader)/\(name)") {
                    try ImageReader.read(bytes, limits: ImageLimits())
                }
            }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        // SAFETY: the path is a whole string; the buffer's pointer and count describe the same bytes.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import Glibc
import Testing

/// A field case where it lies beside the package or in the folder that FANLIGHT_SHARED names; the tables of scalars
/// hold the same traps where it does not.
@Suite struct SharedConfigurationTests {
    static func bytes(_ path: String) -> [UInt8]? {
        // SAFETY: the strings live through the calls; getenv's result is copied at once; the block bounds each read.
        var folders: [String] = unsafe getenv("FANLIGHT_SHARED").map { [unsafe String(cString: $0)] } ?? []
        var parts = #filePath.split(separator: "/")
        while parts.popLast() != nil {
            folders += ["/" + parts.joined(separator: "/") + "/shared", "/" + parts.joined(separator: "/")]
        }
        for folder in folders {
            guard let file = unsafe fopen(folder + "/" + path, "rb") else { continue }
            defer { unsafe fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe fread(&bytes, 1, bytes.count, file)
            return Array(bytes[..<count])
        }
        return nil
    }

    @Test func scalarsOfTheFileStayText() throws {
        guard let bytes = Self.bytes("cases/cfg-02/config.yaml") else { return }
        let (root, diagnostics) = YAMLReader.read(bytes, file: "config.yaml")
        #expect(diagnostics.isEmpty)
        let form = try #require(root?["services"]?.items.first?["form"])
        let written = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        for entry in form.entries {
            #expect(written.contains { $0.hasSuffix(" \(entry.key): \(entry.value.text ?? "null")") })
        }
        #expect(form.entries.count == 12)
        #expect(root?["listen"]?.text == "127.0.0.1:8080")
    }

    /// The package's own file, found by walking up from this one.
    @Test func theShippedFileHasNoFindings() throws {
        let bytes = try #require(Self.bytes("config.yaml"))
        let (configuration, findings) = decode(String(decoding: bytes, as: UTF8.self))
        #expect(findings.isEmpty)
        #expect(configuration?.services.isEmpty == false)
    }
}

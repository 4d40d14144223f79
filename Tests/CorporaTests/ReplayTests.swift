// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// Every file of the corpora goes through its reader, seeds and former findings alike.
@Suite struct ReplayTests {
    @Test(arguments: FuzzTarget.allCases) func everyFileEndsOrderly(_ target: FuzzTarget) {
        let files = Self.files(of: target)
        #expect(!files.isEmpty, "no seeds for \(target.rawValue)")
        for file in files {
            let broken = target.run(file.bytes)
            #expect(broken == nil, "\(target.rawValue)/\(file.name): \(broken ?? "")")
        }
    }

    /// A seed with a part missing, doubled or changed is a picture nobody made; the fuzzer goes on from here.
    @Test(arguments: FuzzTarget.allCases) func changedSeedsEndOrderly(_ target: FuzzTarget) {
        for file in Self.files(of: target) where file.bytes.count < 2_000 {
            for step in 1..<40 {
                var bytes = file.bytes
                let place = bytes.count * step / 40
                guard place < bytes.count else { continue }
                bytes[place] = ~bytes[place]
                #expect(target.run(bytes) == nil, "\(target.rawValue)/\(file.name) changed at \(place)")
                #expect(target.run(Array(file.bytes[..<place])) == nil, "\(file.name) cut at \(place)")
            }
        }
    }

    private static func files(of target: FuzzTarget) -> [(name: String, bytes: [UInt8])] {
        let folder =
            "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Corpora/" + target.rawValue
        // SAFETY: the stream is opened, read and closed here; each name is copied before the next is asked for.
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted().map { ($0, read(folder + "/" + $0)) }
    }

    // SAFETY: the buffer is written for at most its size, and only what was written is counted.
    private static func read(_ path: String) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { _ = close(descriptor) }
        return unsafe [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
            count = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, 1 << 20))
        }
    }
}

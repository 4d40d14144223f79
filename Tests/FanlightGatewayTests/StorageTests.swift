// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Testing

@testable import FanlightGateway

@Suite("Spool and album")
struct StorageTests {
    private let folder = NSTemporaryDirectory() + "fanlight-storage-" + UUID().uuidString

    private func file(_ spool: DiskSpool, _ bytes: [UInt8]) throws -> SpooledFile {
        let writer = try #require(spool.create())
        // SAFETY: the writer copies the bytes before it returns.
        #expect(unsafe bytes.withUnsafeBytes { unsafe writer.append($0) })
        return try #require(writer.finish())
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test("What an earlier run left is swept, and nothing else")
    func sweep() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/spool-1-1"))
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/other"))
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/spool-1-2"))
        let spool = try #require(DiskSpool(folder: folder))
        spool.sweep(keeping: ["spool-1-2"])
        #expect(Set(try names(folder)) == ["other", "spool-1-2"])
    }

    @Test("A second gateway on the same folder leaves the first one's files alone")
    func secondGateway() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try #require(DiskSpool(folder: folder))
        let kept = try file(first, [1, 2, 3])
        let second = try #require(DiskSpool(folder: folder))
        second.sweep(keeping: [])
        let other = try file(second, [4])
        #expect(Set(try names(folder).map { folder + "/" + $0 }) == [kept.path, other.path])
        withExtendedLifetime((first, second)) {}
    }

    @Test("Files go with their last user")
    func lastUser() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder, reuse: DiskSpool.Reuse(files: 0)))
        do {
            let kept = try file(spool, [1, 2, 3])
            #expect(try names(folder).count == 1)
            #expect(kept.readAll() == [1, 2, 3])
            _ = spool.create()
        }
        #expect(try names(folder).isEmpty)
    }

    @Test("A file that the journal owns outlives its users, and a restart; it goes when the journal gives it up")
    func kept() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let name: String
        do {
            let spool = try #require(DiskSpool(folder: folder))
            let kept = try file(spool, [1, 2, 3])
            kept.keep()
            name = kept.name
        }
        #expect(try names(folder) == [name])
        let spool = try #require(DiskSpool(folder: folder))
        spool.sweep(keeping: [name])
        #expect(try spool.reopen(name, size: 4) == nil)
        #expect(try spool.reopen("../" + name, size: 3) == nil)
        let again = try #require(try spool.reopen(name, size: 3))
        #expect(again.readAll() == [1, 2, 3])
        spool.remove(name)
        #expect(try names(folder).isEmpty)
        #expect(again.readAll() == [1, 2, 3])
    }

    @Test("A file that is given up while it is in use goes with its last user")
    func givenUp() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder, reuse: DiskSpool.Reuse(files: 0)))
        do {
            let kept = try file(spool, [1, 2, 3])
            kept.keep()
            spool.remove(kept.name)
            #expect(try names(folder) == [kept.name])
        }
        #expect(try names(folder).isEmpty)
    }

    @Test("A used file takes the next picture, whole and under a new name")
    func reuse() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder))
        let long = [UInt8](repeating: 7, count: 10_000)
        let first = try file(spool, long).name
        #expect(try names(folder).count == 1)
        let second = try file(spool, [1, 2])
        #expect(second.name != first && second.readAll() == [1, 2] && second.size == 2)
        #expect(try names(folder) == [second.name])
        let third = try file(spool, long)
        #expect(third.readAll() == long && second.readAll() == [1, 2])
    }

    @Test(
        "Bytes that come in any pieces are the file, over an older and longer one too",
        arguments: [1, 7, 31_744, 65_536, 70_001, 400_000]
    )
    func pieces(size: Int) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder))
        for length in [500_000, 65_536, 65_537, 196_608, size == 1 ? 70_000 : 400_001] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) }
            let writer = try #require(spool.create())
            for start in stride(from: 0, to: length, by: size) {
                let piece = Array(bytes[start..<min(length, start + size)])
                // SAFETY: the array lives through the call.
                #expect(unsafe piece.withUnsafeBytes { unsafe writer.append($0) })
            }
            #expect(writer.count == length)
            let file = try #require(writer.finish())
            #expect(file.size == length)
            #expect(file.readAll() == bytes)
        }
    }

    @Test("Nobody's picture waits longer than it may, nor more of them than they may")
    func reuseEnds() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder, reuse: DiskSpool.Reuse(files: 2, time: .zero)))
        do {
            let files = try (0..<4).map { _ in try file(spool, [1]) }
            #expect(try names(folder).count == files.count)
        }
        #expect(try names(folder).count == 2)
        spool.trim()
        #expect(try names(folder).isEmpty)
    }

    @Test("A large file takes no other picture, and is gone although others close it")
    func largeFilesGo() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pool = BlockingPool(threads: 1)
        let spool = try #require(DiskSpool(folder: folder, reuse: DiskSpool.Reuse(largest: 1_000), pool: pool))
        #expect(try file(spool, [UInt8](repeating: 1, count: 1_001)).size == 1_001)
        #expect(try names(folder).isEmpty)
        let writer = try #require(spool.create())
        let long = [UInt8](repeating: 1, count: 1_001)
        // SAFETY: the array lives through the call.
        #expect(unsafe long.withUnsafeBytes { unsafe writer.append($0) })
        writer.discard()
        #expect(try names(folder).isEmpty)
        #expect(try file(spool, [UInt8](repeating: 1, count: 1_000)).size == 1_000)
        let left = try names(folder)
        #expect(left.count == 1)
        // Nothing stays open: what was handed over comes before this.
        await pool.run(.heavy) {}
        let open = try names("/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(open.count { $0.hasSuffix("/" + (left.first ?? "?")) } == 1)
    }

    @Test(
        "Where no descriptor is left, files that wait for a next picture give theirs up; then a picture is not told as gone"
    )
    func shortage() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder))
        let kept = try file(spool, [1, 2, 3])
        kept.keep()
        try withoutDescriptors {
            #expect(spool.create() == nil)
            #expect(throws: DescriptorShortage.self) { try spool.reopen(kept.name, size: 3) }
        }
        // One file for the next picture, whose descriptor is the lowest that is free.
        _ = try file(spool, [4])
        let again = try withoutDescriptors { try spool.reopen(kept.name, size: 3) }
        #expect(again?.readAll() == [1, 2, 3])
        withExtendedLifetime(spool) {}
    }

    @Test("Where no descriptor is left, pictures that nobody uses are closed for the one that is wanted")
    func shelfShortage() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder, reuse: DiskSpool.Reuse(files: 0)))
        let shelf = PictureShelf(spool: spool)
        let renditions = try (0..<2).map { number in
            let file = try file(spool, [UInt8(number)])
            file.keep()
            let rendition = JournalRendition(
                Rendition(file: file, mediaType: .gif, width: 1, height: 1, lane: .untouched)
            )
            return rendition
        }
        #expect(try shelf.open(renditions[0])?.readAll() == [0])
        let other = try withoutDescriptors { try shelf.open(renditions[1])?.readAll() }
        #expect(other == [1])
        #expect(throws: DescriptorShortage.self) {
            try withoutDescriptors { try PictureShelf(spool: spool).open(renditions[0]) }
        }
    }

    @Test("A large file that has another name keeps its bytes under that")
    func largeFileWithAnotherName() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pool = BlockingPool(threads: 1)
        let spool = try #require(DiskSpool(folder: folder, reuse: DiskSpool.Reuse(largest: 1_000), pool: pool))
        let bytes = [UInt8](repeating: 7, count: 5_000_000)
        var picture: SpooledFile? = try file(spool, bytes)
        try FileManager.default.linkItem(atPath: try #require(picture).path, toPath: folder + "/other")
        picture = nil
        await pool.run(.heavy) {}
        #expect(try names(folder) == ["other"])
        #expect(FileManager.default.contents(atPath: folder + "/other") == Data(bytes))
    }

    @Test("Services that share an album's folder at the same time leave one whole picture")
    func sharedAlbum() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder + "/spool"))
        let album = folder + "/album"
        let files = try (0..<8).map { number in
            try file(spool, [UInt8](repeating: UInt8(number), count: 300_000 + number))
        }
        await withTaskGroup(of: Bool.self) { group in
            for file in files { group.addTask { Album.store(file, folder: album, name: "one.jpg") } }
            for await isStored in group { #expect(isStored) }
        }
        #expect(try names(album) == ["one.jpg"])
        let stored = [UInt8](try Data(contentsOf: URL(fileURLWithPath: album + "/one.jpg")))
        #expect(stored.count == 300_000 + Int(stored[0]) && Set(stored).count == 1)
    }

    @Test("A picture that cannot get its name leaves nothing behind")
    func nameTaken() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = try #require(DiskSpool(folder: folder + "/spool"))
        let album = folder + "/album"
        try FileManager.default.createDirectory(atPath: album + "/one.jpg/x", withIntermediateDirectories: true)
        #expect(!Album.store(try file(spool, [1]), folder: album, name: "one.jpg"))
        #expect(try names(album) == ["one.jpg"])
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Glibc
import Testing

@testable import FanlightGateway

/// Files that are a few new bytes and a part of another file.
@Suite struct SpooledPartTests {
    private let folder = "/tmp/fanlight-part-\(getpid())-\(UInt32.random(in: 0 ... .max))"

    private func stored(_ bytes: [UInt8], hashed: Bool = false) throws -> SpooledFile {
        let spool = try #require(DiskSpool(folder: folder))
        let writer = try #require(spool.create())
        if hashed { writer.beginHash() }
        // SAFETY: the array lives through the call.
        #expect(unsafe bytes.withUnsafeBytes { unsafe writer.append($0) })
        return try #require(writer.finish())
    }

    @Test(arguments: [[UInt8](), [1, 2, 3]]) func readsLikeOneFile(head: [UInt8]) throws {
        defer { Folder.remove(tree: folder) }
        let source = try stored((0..<200).map { UInt8($0) })
        let part = SpooledFile(head: head, range: 50..<150, of: source)
        let expected = head + (50..<150).map { UInt8($0) }
        #expect(part.size == expected.count)
        #expect(part.readAll() == expected)
        #expect(part.name == source.name)
        #expect(part.storedSize == 200)
        for (offset, count) in [(0, 7), (2, 2), (3, 1), (90, 100), (expected.count - 1, 9)] {
            var buffer = [UInt8](repeating: 0xEE, count: count)
            // SAFETY: the buffer is used inside the closure only.
            let got = unsafe buffer.withUnsafeMutableBytes { unsafe part.read(into: $0, at: offset) }
            #expect(got > 0)
            #expect(buffer[..<got] == expected[offset..<(offset + got)])
        }
        var beyond = [UInt8](repeating: 0, count: 4)
        #expect(unsafe beyond.withUnsafeMutableBytes { unsafe part.read(into: $0, at: expected.count) } == 0)
    }

    @Test func keepsItsSourceAlive() throws {
        defer { Folder.remove(tree: folder) }
        var source: SpooledFile? = try stored([1, 2, 3, 4])
        let part = SpooledFile(head: [9], range: 1..<3, of: try #require(source))
        source = nil
        #expect(part.readAll() == [9, 2, 3])
    }

    @Test func anAlbumHoldsTheSameBytes() throws {
        let source = try stored((0..<200).map { UInt8($0) })
        let part = SpooledFile(head: [7, 7], range: 10..<20, of: source)
        let album = folder + "-album"
        defer { [folder, album].forEach(Folder.remove(tree:)) }
        #expect(Album.store(part, folder: album, name: "a.jpg"))
        let descriptor = unsafe open(album + "/a.jpg", O_RDONLY)
        let copy = SpooledFile(path: album + "/gone", descriptor: descriptor, size: 12)
        #expect(copy.readAll() == part.readAll())
    }

    @Test func aHashOnTheWayIsTheHashOfTheFile() throws {
        defer { Folder.remove(tree: folder) }
        let file = try stored(Array("abc".utf8), hashed: true)
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(file.sha256 == expected)
        #expect(ContentHash.sha256(of: SpooledFile(head: Array("ab".utf8), range: 2..<3, of: file)) == expected)
        #expect(try stored([1]).sha256 == nil)
    }

    @Test func nothingIsLeftButWhatTheJournalOwns() throws {
        defer { Folder.remove(tree: folder) }
        let spool = try #require(DiskSpool(folder: folder))
        func file() throws -> SpooledFile {
            let writer = try #require(spool.create())
            // SAFETY: the array lives through the call.
            #expect(unsafe [UInt8](repeating: 7, count: 100).withUnsafeBytes { unsafe writer.append($0) })
            return try #require(writer.finish())
        }
        var waiting: SpooledFile? = try file()
        let kept = try file()
        let used = try file()
        spool.keep(kept.name)
        waiting = nil
        var names: [String] { Folder.names(folder).filter { $0.hasPrefix("spool-") } }
        #expect(names.count == 3)
        spool.clear()
        #expect(names == [kept.name])
        #expect(waiting == nil && used.readAll()?.count == 100)
        _ = try file()
        #expect(names == [kept.name])
    }
}

extension Folder {
    /// Removes a folder of plain files.
    fileprivate static func remove(tree folder: String) {
        for name in names(folder) { remove(folder + "/" + name) }
        // SAFETY: the string lives through the call.
        _ = unsafe rmdir(folder)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightGateway
import Foundation
import Testing

@testable import FanlightJournal

@Suite("What the journal keeps, and how long")
struct RetentionTests {
    private let state = StateFixture()
    private static let day: Int64 = 86_400_000

    @Test("A picture goes when the last delivery that needs it is done; one that failed may be retried")
    func pictures() async throws {
        let spool = try state.spool()
        let journal = try SQLiteJournal(
            state: state.folder,
            settings: JournalSettings(durability: .full),
            spool: spool
        )
        do {
            let first = try state.picture(spool)
            let second = try state.picture(spool)
            try await journal.accept([.sample("one", file: first)], key: nil, files: [first])
            try await journal.accept([.sample("two", file: second)], key: nil, files: [second])
        }
        #expect(try state.spoolNames.count == 2)
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        #expect(try state.spoolNames.count == 2)
        try await journal.record([JournalNote(upload: "one", delivery: 1, .settled(.delivered()))])
        #expect(try state.spoolNames.count == 1)
        #expect(try await journal.upload("one")?.renditions[0].file == nil)
        try await journal.record([
            JournalNote(upload: "two", delivery: 0, .settled(.delivered())),
            JournalNote(upload: "two", delivery: 1, .settled(.failed())),
        ])
        let kept = try #require(try await journal.upload("two")?.renditions[0].file)
        #expect(try state.spoolNames == [kept])
        let counters = try await journal.counters()
        #expect(counters.pictures == 1 && counters.pictureBytes == 3)
        try await journal.record([
            JournalNote(upload: "two", delivery: 1, .reopened(at: 5_000)),
            JournalNote(upload: "two", delivery: 1, .settled(.delivered(at: 6_000, event: 3))),
        ])
        #expect(try state.spoolNames.isEmpty)
    }

    @Test("Two renditions of an upload may be the same file; it goes with the last of them")
    func sharedFile() async throws {
        let spool = try state.spool()
        let journal = try SQLiteJournal(
            state: state.folder,
            settings: JournalSettings(durability: .relaxed),
            spool: spool
        )
        do {
            let file = try state.picture(spool)
            var upload = JournalUpload.sample("one", file: file)
            upload.renditions.append(upload.renditions[0])
            upload.deliveries[1].rendition = 1
            try await journal.accept([upload], key: nil, files: [file])
        }
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        #expect(try state.spoolNames.count == 1)
        try await journal.record([JournalNote(upload: "one", delivery: 1, .settled(.delivered()))])
        #expect(try state.spoolNames.isEmpty)
    }

    @Test("A rendition that is a part of its file is that part again after a restart")
    func part() async throws {
        let bytes: [UInt8]
        do {
            let spool = try state.spool()
            let journal = try SQLiteJournal(state: state.folder, spool: spool)
            let whole = try state.picture(spool, Array(0..<100))
            let part = SpooledFile(head: [200, 201], range: 10..<90, of: whole)
            bytes = try #require(part.readAll())
            var upload = JournalUpload.sample("one", file: whole)
            upload.renditions = [whole, part].map { file in
                JournalRendition(Rendition(file: file, mediaType: .jpeg, width: 1, height: 1, lane: .stripped))
            }
            upload.deliveries[1].rendition = 1
            try await journal.accept([upload], key: nil, files: [whole, part])
            try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
            upload.deliveries[0].apply(.settled(.delivered()))
            upload.renditions[0].file = nil
            #expect(try await journal.upload("one") == upload)
            let counters = try await journal.counters()
            #expect(counters.pictures == 1 && counters.pictureBytes == 100)
            await journal.close()
        }
        let spool = try state.spool()
        let journal = try SQLiteJournal(state: state.folder, spool: spool)
        let rendition = try #require(try await journal.upload("one")?.renditions[1])
        let again = try #require(try rendition.open(in: spool))
        #expect(again.size == 82 && again.readAll() == bytes)
        var beyond = rendition
        beyond.part?.start = 50
        #expect(try beyond.open(in: spool) == nil)
        withExtendedLifetime(state) {}
    }

    @Test("A new start keeps the pictures that unfinished uploads need, and no other")
    func sweep() async throws {
        do {
            let spool = try state.spool()
            let journal = try SQLiteJournal(
                state: state.folder,
                settings: JournalSettings(durability: .relaxed),
                spool: spool
            )
            let file = try state.picture(spool, [9, 8, 7])
            try await journal.accept([.sample("one", file: file)], key: nil, files: [file])
            // Of a request that was not acknowledged.
            try Data([1]).write(to: URL(fileURLWithPath: state.folder + "/spool/spool-lost-1"))
            await journal.close()
        }
        let spool = try state.spool()
        let journal = try SQLiteJournal(state: state.folder, spool: spool)
        let rendition = try #require(try await journal.upload("one")?.renditions[0])
        let name = try #require(rendition.file)
        #expect(try state.spoolNames == [name])
        let again = try #require(try spool.reopen(name, size: rendition.bytes))
        #expect(again.readAll() == [9, 8, 7])
        // The folder goes with the fixture.
        withExtendedLifetime(state) {}
    }

    @Test("Pictures for a retry go after their time, and the oldest when there are too many; needed ones stay")
    func picturesExpire() async throws {
        let spool = try state.spool()
        let settings = JournalSettings(durability: .relaxed, picturesFor: .seconds(86_400), picturesBytes: 6)
        let journal = try SQLiteJournal(state: state.folder, settings: settings, spool: spool)
        for number in 0..<5 {
            let file = try state.picture(spool)
            let upload = JournalUpload.sample("u\(number)", ["a"], at: Int64(number) * 1_000, file: file)
            try await journal.accept([upload], key: nil, files: [file])
        }
        #expect(try await journal.prune(now: 10 * Self.day).pictures == 0)
        for number in 1..<5 {
            try await journal.record([JournalNote(upload: "u\(number)", delivery: 0, .settled(.failed()))])
        }
        #expect(try await journal.prune(now: 5_000).pictures == 2)
        let kept = try await journal.history(JournalQuery()).uploads.filter { $0.renditions[0].file != nil }
        #expect(kept.map(\.id) == ["u4", "u3", "u0"])
        #expect(try await journal.prune(now: Self.day + 3_500).pictures == 1)
        #expect(try state.spoolNames.count == 2)
    }

    @Test("Uploads leave the history after their time; unfinished ones and wanted deletions stay")
    func age() async throws {
        let journal = try state.journal(settings: JournalSettings(durability: .relaxed, keepFor: .seconds(86_400)))
        for id in ["done", "open", "deleting"] { try await journal.accept([.sample(id, ["a"])], key: nil, files: []) }
        try await journal.record(
            ["done", "deleting"].map { JournalNote(upload: $0, delivery: 0, .settled(.delivered())) }
        )
        try await journal.record([
            JournalNote(upload: "deleting", delivery: 0, .deletion(JournalDeletion(state: .pending, at: 3_000)))
        ])
        #expect(try await journal.prune(now: Self.day).uploads == 0)
        #expect(try await journal.prune(now: Self.day + 2_000).uploads == 1)
        #expect(try await journal.history(JournalQuery()).uploads.map(\.id) == ["deleting", "open"])
    }

    @Test("Keys expire after 24 hours")
    func keys() async throws {
        let journal = try state.journal()
        for (number, time) in [(1, Int64(1_000)), (2, 2_000)] {
            let key = JournalKey(key: "k\(number)", client: "", bodyDigest: "", uploads: ["u"], createdAt: time)
            try await journal.accept([.sample("u\(number)")], key: key, files: [])
        }
        #expect(try await journal.prune(now: Self.day + 1_500).keys == 1)
        #expect(try await journal.prune(now: Self.day + 1_500).keys == 0)
    }

    @Test("The file stays within its bound whatever comes")
    func bounded() async throws {
        let journal = try state.journal(settings: JournalSettings(durability: .relaxed, keepBytes: 1_000_000))
        let text = String(repeating: "x", count: 2_000)
        for round in 0..<20 {
            let uploads = (0..<100).map { number in
                var upload = JournalUpload.sample("u\(round).\(number)", ["a"])
                upload.caption.description = text
                upload.deliveries[0].status = .delivered
                return upload
            }
            try await journal.accept(uploads, key: nil, files: [])
            while try await journal.prune(now: 2_000).hasMore {}
        }
        await journal.close()
        let size = try FileManager.default.attributesOfItem(atPath: state.folder + "/journal.sqlite")[.size] as? Int
        #expect(try #require(size) < 2_000_000)
    }
}

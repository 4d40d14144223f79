// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightGateway
import FanlightJournal
import Glibc

// What the journal costs: journal-bench FOLDER [UPLOADS] [BYTES]. Prints one line a case; the folder's disk counts.

/// Processor time of the process, in microseconds.
func cpu() -> Int {
    var usage = rusage()
    // SAFETY: the record is a local that outlives the call.
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return seconds * 1_000_000 + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}

/// One way to keep uploads.
struct Case {
    var name: String
    var durability: JournalSettings.Durability?
    var services: Int
    var bytes: Int
    var inFlight: Int
}

let arguments = CommandLine.arguments
guard arguments.count > 1 else {
    print("journal-bench FOLDER [UPLOADS] [BYTES]")
    exit(2)
}
let folder = arguments[1]
let uploads = arguments.count > 2 ? Int(arguments[2]) ?? 1_000 : 1_000
let bytes = arguments.count > 3 ? Int(arguments[3]) ?? 2_800_000 : 2_800_000

/// The life of one upload, without its network.
func carry(_ number: Int, _ test: Case, _ journal: SQLiteJournal?, _ spool: DiskSpool, _ picture: [UInt8]) async throws
{
    guard let writer = spool.create() else { return }
    // SAFETY: the writer copies the bytes before it returns.
    _ = unsafe picture.withUnsafeBytes { unsafe writer.append($0) }
    guard let file = writer.finish(), let journal else { return }
    let id = "01938f3e-7c1a-7b6e-9f5e-\(number)"
    var upload = JournalUpload(
        id: id,
        createdAt: 1_000,
        image: ImageFacts(mediaType: .jpeg, width: 4_032, height: 3_024),
        imageBytes: file.size,
        sha256: String(repeating: "a", count: 64),
        caption: Caption(title: "A title", description: "A description of some words"),
        renditions: [
            JournalRendition(
                file: file.name,
                bytes: file.size,
                mediaType: .jpeg,
                width: 4_032,
                height: 3_024,
                lane: .untouched
            )
        ]
    )
    upload.deliveries = (0..<test.services).map { JournalDelivery(service: "service\($0)", rendition: 0) }
    try await journal.accept([upload], key: nil, files: [file])
    try await withThrowingTaskGroup(of: Void.self) { group in
        for place in 0..<test.services {
            group.addTask {
                try await journal.record([JournalNote(upload: id, delivery: place, .releasing(attempt: 1, at: 1_100))])
                let outcome = JournalOutcome(
                    status: .delivered,
                    links: DeliveryLinks(link: "https://example.org/p/x.jpg", captures: ["deletehash": "abcdef"]),
                    attempts: 1,
                    durationMilliseconds: 100,
                    at: 1_200,
                    eventNumber: place + 1
                )
                try await journal.record([JournalNote(upload: id, delivery: place, .settled(outcome))])
            }
        }
        try await group.waitForAll()
    }
}

func measure(_ test: Case, _ number: Int) async throws {
    let state = "\(folder)/bench-\(number)"
    guard let spool = DiskSpool(folder: state + "/spool") else { return print("cannot write \(state)") }
    let journal = try test.durability.map { durability in
        try SQLiteJournal(state: state, settings: JournalSettings(durability: durability), spool: spool)
    }
    let picture = [UInt8](repeating: 0x5A, count: test.bytes)
    let (begin, start) = (cpu(), ContinuousClock.now)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<uploads {
            if number >= test.inFlight { try await group.next() }
            group.addTask { try await carry(number, test, journal, spool, picture) }
        }
        try await group.waitForAll()
    }
    let (time, spent) = (ContinuousClock.now - start, cpu() - begin)
    let commits = try await journal?.counters().commits ?? 0
    await journal?.close()
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    print(
        "\(test.name): \(Int(Double(uploads) / seconds)) uploads/s, \(spent / uploads) us CPU an upload, "
            + "\(commits) transactions"
    )
}

/// A history of 10,000 uploads: how long a start and a look-up by id take.
func measureHistory() async throws {
    let state = "\(folder)/bench-history"
    guard let spool = DiskSpool(folder: state + "/spool") else { return print("cannot write \(state)") }
    let settings = JournalSettings(durability: .relaxed)
    var opened = try SQLiteJournal(state: state, settings: settings, spool: spool)
    for first in stride(from: 0, to: 10_000, by: 100) {
        let uploads = (first..<first + 100).map { number in
            var upload = JournalUpload(
                id: "01938f3e-7c1a-7b6e-9f5e-\(number)",
                createdAt: Int64(number),
                image: ImageFacts(mediaType: .jpeg, width: 4_032, height: 3_024),
                imageBytes: 2_800_000,
                sha256: String(repeating: "a", count: 64),
                caption: Caption(title: "A title", description: String(repeating: "some words ", count: 20))
            )
            upload.deliveries = (0..<5).map { place in
                var delivery = JournalDelivery(service: "service\(place)")
                delivery.status = .delivered
                delivery.links = DeliveryLinks(
                    link: "https://example.org/p/\(number).jpg",
                    captures: ["hash": "abcdef"]
                )
                return delivery
            }
            return upload
        }
        try await opened.accept(uploads, key: nil, files: [])
    }
    await opened.close()
    let start = ContinuousClock.now
    opened = try SQLiteJournal(state: state, settings: settings, spool: spool)
    let ready = ContinuousClock.now - start
    var times: [Duration] = []
    for number in 0..<10_000 {
        let begin = ContinuousClock.now
        _ = try await opened.upload("01938f3e-7c1a-7b6e-9f5e-\(number * 7_919 % 10_000)")
        times.append(ContinuousClock.now - begin)
    }
    times.sort()
    let bytes = try await opened.counters().journalBytes
    print(
        "10,000 uploads, 5 services: start \(ready), look-up p50 \(times[5_000]), p99 \(times[9_900]), \(bytes) bytes"
    )
    await opened.close()
}

try await measureHistory()
var number = 0
for size in [bytes, 20_000] {
    for services in [1, 20] {
        for inFlight in [1, 8] {
            for (durability, word) in [(nil, "no journal"), (.relaxed, "relaxed"), (.full, "full")]
                as [(JournalSettings.Durability?, String)]
            {
                let name = "\(size) bytes, \(services) services, \(inFlight) in flight, \(word)"
                let test = Case(
                    name: name,
                    durability: durability,
                    services: services,
                    bytes: size,
                    inFlight: inFlight
                )
                try await measure(test, number)
                number += 1
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Foundation
import Testing

@testable import FanlightJournal

/// Bounds that a build without optimisation keeps, too.
///
/// Medians, because other work on the machine makes outliers. The
/// benchmark has the real numbers.
@Suite("The journal with a long history", .serialized)
struct SpeedTests {
    private static let uploads = 10_000

    private func filled() async throws -> StateFixture {
        let state = StateFixture()
        let journal = try state.journal()
        for start in stride(from: 0, to: Self.uploads, by: 100) {
            let uploads = (start..<start + 100).map { number in
                var upload = JournalUpload.sample("u\(number)", ["a", "b", "c", "d"], at: Int64(number))
                upload.caption.description = String(repeating: "x", count: 200)
                for index in upload.deliveries.indices { upload.deliveries[index].apply(.settled(.delivered())) }
                if number % 1_000 == 7 { upload.deliveries[0].apply(.reopened(at: 1)) }
                return upload
            }
            try await journal.accept(uploads, key: nil, files: [])
        }
        await journal.close()
        return state
    }

    @Test("10,000 uploads: a start within 300 ms, a look-up within 5 ms, a page and the unfinished at once")
    func history() async throws {
        let state = try await filled()
        let clock = ContinuousClock()
        var starts: [Duration] = []
        for _ in 0..<5 {
            var opened: SQLiteJournal?
            starts.append(try clock.measure { opened = try state.journal() })
            await opened?.close()
        }
        #expect(starts.sorted()[2] < .milliseconds(300), "\(starts)")
        let journal = try state.journal()
        var times: [Duration] = []
        for number in 0..<500 {
            let id = "u\(number * 7_919 % Self.uploads)"
            let begin = clock.now
            let upload = try await journal.upload(id)
            times.append(clock.now - begin)
            #expect(upload?.id == id && upload?.deliveries.count == 4)
        }
        times.sort()
        #expect(times[250] < .milliseconds(5), "p99 \(times[494]), median \(times[250])")
        #expect(try await journal.unfinished(after: nil, limit: 100).count == 10)
        #expect(try await journal.history(JournalQuery(cursor: nil, status: .pending)).uploads.count == 10)
        #expect(try await journal.history(JournalQuery(limit: 50)).uploads.count == 50)
        withExtendedLifetime(state) {}
    }
}

// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightCodecs

@Suite("Search for a byte limit")
struct SizeSearchTests {
    /// Runs a search against an encoder whose size is known.
    private func run(limit: Int, lever: SizeSearch.Lever = .quality, size: (SizeSearch.Attempt) -> Int) -> (
        outcome: SizeSearch.Outcome?, attempts: Int
    ) {
        var search = SizeSearch(limit: limit, quality: 85, lever: lever, longEdge: 2048)
        var attempts = 0
        while search.outcome == nil, attempts < 100 {
            attempts += 1
            search.record(size: size(search.attempt))
        }
        return (search.outcome, attempts)
    }

    private func photo(_ attempt: SizeSearch.Attempt) -> Int {
        Int(Double(attempt.quality * attempt.quality) * 100 * attempt.scale * attempt.scale)
    }

    @Test("What fits at once is taken at once")
    func fitsAtOnce() {
        let found = run(limit: 10_000_000, size: photo)
        #expect(found.outcome == .use(.init(quality: 85, scale: 1)))
        #expect(found.attempts == 1)
    }

    @Test("Quality goes down before pixels do", arguments: [400_000, 500_000, 600_000, 700_000])
    func quality(limit: Int) throws {
        let found = run(limit: limit, size: photo)
        guard case .use(let attempt) = found.outcome else {
            Issue.record("nothing found")
            return
        }
        #expect(attempt.scale == 1)
        #expect(photo(attempt) <= limit)
        #expect(photo(attempt) >= limit * 85 / 100)
        #expect(found.attempts <= 8)
    }

    @Test("Pixels go when quality is not enough", arguments: [20_000, 100_000, 300_000])
    func scale(limit: Int) {
        let found = run(limit: limit, size: photo)
        guard case .use(let attempt) = found.outcome else {
            Issue.record("nothing found")
            return
        }
        #expect(attempt.scale < 1)
        #expect(photo(attempt) <= limit)
        #expect(found.attempts <= 8)
    }

    @Test("A format without quality is scaled only")
    func noQuality() {
        let found = run(limit: 300_000, lever: .none, size: photo)
        guard case .use(let attempt) = found.outcome else {
            Issue.record("nothing found")
            return
        }
        #expect(attempt.quality == 85)
        #expect(attempt.scale < 1)
    }

    @Test("The impossible ends")
    func impossible() {
        let found = run(limit: 100) { _ in 5000 }
        #expect(found.outcome == .impossible)
        #expect(found.attempts <= 8)
    }
}

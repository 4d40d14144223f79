// SPDX-License-Identifier: Apache-2.0

/// Finds the best encoding within a byte limit: quality first, by bisection, then fewer colours, then fewer pixels.
///
/// A plain state machine: ask for `attempt`, encode so, `record` the size, until `outcome` is there.
struct SizeSearch: Equatable {
    /// One encoding to try.
    struct Attempt: Equatable {
        var quality: Int
        /// Share of the prepared picture's sides.
        var scale: Double
        /// 256 colours at most.
        var palette = false
    }

    /// How the search ended.
    enum Outcome: Equatable { case use(Attempt), impossible }

    /// What the format lets go before pixels do.
    enum Lever { case quality, palette, none }

    /// Quality below which fewer pixels look better.
    static let lowestQuality = 60
    /// Encodings of one picture at most.
    static let mostAttempts = 8

    private(set) var attempt: Attempt
    private(set) var outcome: Outcome?
    private let limit: Int
    private let lever: Lever
    private let smallestScale: Double
    private var best: Attempt?
    private var low: Int
    private var high: Int
    private var made = 0

    /// - Parameter longEdge: pixels of the longer side; the search ends at 64.
    init(limit: Int, quality: Int, lever: Lever, longEdge: Int) {
        self.limit = limit
        self.lever = lever
        smallestScale = min(1, 64 / Double(max(longEdge, 1)))
        attempt = Attempt(quality: quality, scale: 1)
        low = min(Self.lowestQuality, quality)
        high = quality
    }

    /// Takes the size of the current attempt and chooses the next.
    mutating func record(size: Int) {
        made += 1
        let hasQuality = lever == .quality
        let fits = size <= limit
        if fits {
            best = attempt
            low = attempt.quality + 1
            // Close enough, or nothing better to be had.
            if size >= limit / 10 * 9 || low > high || made == 1 || attempt.scale < 1 || !hasQuality { return end() }
        } else if hasQuality, attempt.scale == 1, attempt.quality > low {
            high = attempt.quality - 1
        }
        guard made < Self.mostAttempts else { return end() }
        if hasQuality, attempt.scale == 1, low <= high, fits || attempt.quality > Self.lowestQuality {
            // The first step down goes to the bottom: it tells whether quality alone can do it.
            attempt.quality = made == 1 ? low : (low + high + 1) / 2
            return
        }
        if best != nil { return end() }
        if lever == .palette, !attempt.palette {
            attempt.palette = true
            return
        }
        let shrink = (Double(limit) / Double(max(size, 1))).squareRoot() * 0.95
        attempt.scale *= min(shrink, 0.95)
        if attempt.scale < smallestScale { end() }
    }

    private mutating func end() {
        outcome = best.map(Outcome.use) ?? .impossible
    }
}

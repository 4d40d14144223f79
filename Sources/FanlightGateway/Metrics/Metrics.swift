// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Counts what the gateway does, and writes it as Prometheus text (exposition format 0.0.4).
public final class Metrics: Sendable {
    /// Label values in the order of ``MetricFamily/labels``.
    struct Key: Hashable, Sendable {
        var family: MetricFamily
        var labels: [String]
    }

    private struct Histogram: Sendable {
        var counts: [UInt64]
        var sum = 0.0
        var total: UInt64 = 0
    }

    private struct State {
        var numbers: [Key: Double] = [:]
        var histograms: [Key: Histogram] = [:]
    }

    /// Label sets of one family; further ones are counted together as `other`.
    ///
    /// Every label is bounded by its source; this is for a source that is not.
    private static let maxSets = 2_000

    private let state = Mutex(State())

    /// Creates an empty set.
    public init() {}

    /// Adds to a counter.
    public func add(_ family: MetricFamily, _ labels: [String] = [], by amount: Double = 1) {
        state.withLock { $0.numbers[Self.key(family, labels, in: $0.numbers), default: 0] += amount }
    }

    /// Sets a gauge.
    public func set(_ family: MetricFamily, _ labels: [String] = [], to value: Double) {
        state.withLock { $0.numbers[Self.key(family, labels, in: $0.numbers)] = value }
    }

    /// Notes one duration of a histogram.
    public func observe(_ family: MetricFamily, _ labels: [String] = [], seconds: Double) {
        let bounds = family.buckets
        state.withLock { state in
            let key = Key(family: family, labels: labels)
            var histogram = state.histograms[key] ?? Histogram(counts: Array(repeating: 0, count: bounds.count))
            if let bucket = bounds.firstIndex(where: { seconds <= $0 }) { histogram.counts[bucket] += 1 }
            histogram.sum += seconds
            histogram.total += 1
            state.histograms[key] = histogram
        }
    }

    /// Forgets the gauges of services that are not configured any more.
    func keep(services: Set<String>) {
        state.withLock { state in
            state.numbers = state.numbers.filter { key, _ in
                guard key.family.kind == .gauge, key.family.labels.first == "service" else { return true }
                return key.labels.first.map(services.contains) ?? true
            }
        }
    }

    /// All values as text, families in their order, label sets sorted.
    public func text() -> String {
        let (numbers, histograms) = state.withLock { ($0.numbers, $0.histograms) }
        var out = ""
        for family in MetricFamily.allCases {
            let plain = numbers.filter { $0.key.family == family }
            let shaped = histograms.filter { $0.key.family == family }
            guard !plain.isEmpty || !shaped.isEmpty else { continue }
            out += "# HELP \(family.rawValue) \(family.help)\n# TYPE \(family.rawValue) \(family.kind.rawValue)\n"
            for (key, value) in plain.sorted(by: { Self.precedes($0.key, $1.key) }) {
                out += "\(family.rawValue)\(Self.labels(key)) \(DecimalText.plain(value))\n"
            }
            for (key, histogram) in shaped.sorted(by: { Self.precedes($0.key, $1.key) }) {
                out += Self.lines(key, histogram)
            }
        }
        return out
    }

    private static func key(_ family: MetricFamily, _ labels: [String], in numbers: [Key: Double]) -> Key {
        let key = Key(family: family, labels: labels)
        guard numbers.count >= maxSets, numbers[key] == nil else { return key }
        return Key(family: family, labels: labels.map { _ in "other" })
    }

    private static func precedes(_ first: Key, _ second: Key) -> Bool {
        first.labels.lexicographicallyPrecedes(second.labels)
    }

    private static func lines(_ key: Key, _ histogram: Histogram) -> String {
        let name = key.family.rawValue
        var out = ""
        var below: UInt64 = 0
        for (bound, count) in zip(key.family.buckets, histogram.counts) {
            below += count
            out += "\(name)_bucket\(labels(key, ("le", DecimalText.plain(bound)))) \(below)\n"
        }
        out += "\(name)_bucket\(labels(key, ("le", "+Inf"))) \(histogram.total)\n"
        out += "\(name)_sum\(labels(key)) \(DecimalText.plain(histogram.sum))\n"
        out += "\(name)_count\(labels(key)) \(histogram.total)\n"
        return out
    }

    private static func labels(_ key: Key, _ last: (String, String)? = nil) -> String {
        var pairs = zip(key.family.labels, key.labels).map { "\($0)=\"\(escaped($1))\"" }
        if let last { pairs.append("\(last.0)=\"\(last.1)\"") }
        return pairs.isEmpty ? "" : "{" + pairs.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "\"": out += "\\\""
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

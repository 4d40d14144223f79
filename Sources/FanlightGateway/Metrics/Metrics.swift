// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Counts what the gateway does, and writes it as Prometheus text (exposition format 0.0.4).
public final class Metrics: Sendable {
    private struct Histogram: Sendable {
        var counts: [UInt64]
        var sum = 0.0
        var total: UInt64 = 0

        init(_ family: MetricFamily) { counts = Array(repeating: 0, count: family.buckets.count) }
    }

    /// Values by family, then by label values in the order of ``MetricFamily/labels``.
    private struct State {
        var numbers: [MetricFamily: [[String]: Double]] = [:]
        var histograms: [MetricFamily: [[String]: Histogram]] = [:]
    }

    /// Label sets of one family; further ones are counted together as `other`.
    ///
    /// Every label is bounded by its source; this is for a source that is not.
    private static let maxSets = 10_000

    private let state = Mutex(State())

    /// Creates an empty set.
    public init() {}

    /// Adds to a counter.
    public func add(_ family: MetricFamily, _ labels: [String] = [], by amount: Double = 1) {
        state.withLock { state in
            state.numbers[family, default: [:]][Self.bounded(labels, in: state.numbers[family]), default: 0] += amount
        }
    }

    /// Sets a gauge.
    public func set(_ family: MetricFamily, _ labels: [String] = [], to value: Double) {
        state.withLock { state in
            state.numbers[family, default: [:]][Self.bounded(labels, in: state.numbers[family])] = value
        }
    }

    /// Notes one duration of a histogram.
    public func observe(_ family: MetricFamily, _ labels: [String] = [], seconds: Double) {
        let bounds = family.buckets
        state.withLock { state in
            let labels = Self.bounded(labels, in: state.histograms[family])
            var histogram = state.histograms[family]?[labels] ?? Histogram(family)
            if let bucket = bounds.firstIndex(where: { seconds <= $0 }) { histogram.counts[bucket] += 1 }
            histogram.sum += seconds
            histogram.total += 1
            state.histograms[family, default: [:]][labels] = histogram
        }
    }

    /// Makes a counter or histogram stand there as 0 before it is first used.
    ///
    /// A rate over a series that begins with its first event misses that event.
    public func begin(_ family: MetricFamily, _ labels: [String] = []) {
        guard family.kind == .histogram else { return add(family, labels, by: 0) }
        state.withLock { state in
            let labels = Self.bounded(labels, in: state.histograms[family])
            if state.histograms[family]?[labels] == nil {
                state.histograms[family, default: [:]][labels] = Histogram(family)
            }
        }
    }

    /// Forgets the gauges of services that are not configured any more.
    func keep(services: Set<String>) {
        state.withLock { state in
            for family in state.numbers.keys where family.kind == .gauge && family.labels.first == "service" {
                state.numbers[family] = state.numbers[family]?.filter { labels, _ in
                    labels.first.map(services.contains) ?? true
                }
            }
        }
    }

    /// All values as text, families in their order, label sets sorted.
    public func text() -> String {
        let (numbers, histograms) = state.withLock { ($0.numbers, $0.histograms) }
        var out = ""
        for family in MetricFamily.allCases {
            let plain = numbers[family] ?? [:]
            let shaped = histograms[family] ?? [:]
            guard !plain.isEmpty || !shaped.isEmpty else { continue }
            out += "# HELP \(family.rawValue) \(family.help)\n# TYPE \(family.rawValue) \(family.kind.rawValue)\n"
            for (labels, value) in plain.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                out += "\(family.rawValue)\(Self.labels(family, labels)) \(DecimalText.plain(value))\n"
            }
            for (labels, histogram) in shaped.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                out += Self.lines(family, labels, histogram)
            }
        }
        return out
    }

    private static func bounded<Value>(_ labels: [String], in sets: [[String]: Value]?) -> [String] {
        guard let sets, sets.count >= maxSets, sets[labels] == nil else { return labels }
        return labels.map { _ in "other" }
    }

    private static func lines(_ family: MetricFamily, _ values: [String], _ histogram: Histogram) -> String {
        let name = family.rawValue
        func labels(_ last: (String, String)? = nil) -> String { Self.labels(family, values, last) }
        var out = ""
        var below: UInt64 = 0
        for (bound, count) in zip(family.buckets, histogram.counts) {
            below += count
            out += "\(name)_bucket\(labels(("le", DecimalText.plain(bound)))) \(below)\n"
        }
        out += "\(name)_bucket\(labels(("le", "+Inf"))) \(histogram.total)\n"
        out += "\(name)_sum\(labels()) \(DecimalText.plain(histogram.sum))\n"
        out += "\(name)_count\(labels()) \(histogram.total)\n"
        return out
    }

    private static func labels(
        _ family: MetricFamily,
        _ values: [String],
        _ last: (String, String)? = nil
    ) -> String {
        var pairs = zip(family.labels, values).map { "\($0)=\"\(escaped($1))\"" }
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

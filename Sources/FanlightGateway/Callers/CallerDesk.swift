// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Synchronization

/// Counts what callers do, by key and by address, and the bytes that are under way.
final class CallerDesk: Sendable {
    private struct Account {
        var rate: (limit: Rate, window: RateWindow)?
        var quota: (limit: Rate, window: RateWindow)?
        /// Requests that may still take one picture each.
        var reserved = 0
    }

    private struct State {
        var accounts: [String: Account] = [:]
        var addresses: [IPAddress: RateWindow] = [:]
        /// What an earlier run counted, by its name in the journal.
        var earlier: [String: RateWindow.Counts] = [:]
        var receiving = 0
    }

    /// Addresses that are remembered at the same time.
    private static let mostAddresses = 50_000

    private let clock: EngineClock
    private let journal: any Journal
    private let state = Mutex(State())

    init(clock: EngineClock, journal: any Journal) {
        self.clock = clock
        self.journal = journal
    }

    /// Bytes of requests that are being received.
    var receivingBytes: Int { state.withLock { $0.receiving } }

    // MARK: Rates

    /// Counts a request of a key's owner that makes work.
    func count(_ key: ClientKey) throws(Problem) {
        guard let limit = key.rate else { return }
        let now = clock.now()
        let next = state.withLock { state -> Timestamp? in
            let name = Self.name("rate", key.account)
            let standing = state.accounts[key.account]?.rate
            var window = Self.window(standing, limit, earlier: state.earlier[name], at: now)
            let next = window.left(at: now) > 0 ? nil : window.next(at: now)
            if next == nil { window.take(at: now) }
            state.accounts[key.account, default: Account()].rate = (limit, window)
            // With the lock held, so that no older count follows a newer one.
            if next == nil { journal.keep(RateMemory.json(window.counts), as: name) }
            return next
        }
        if let next { throw .tooFast(until: next - now, "This key may send \(Self.text(limit)).") }
    }

    /// Counts a request of an address that makes work.
    func count(_ address: String, _ limit: Rate?) throws(Problem) {
        try check(address, limit)
        guard let limit, let customer = IPAddress(address)?.customer else { return }
        let now = clock.now()
        state.withLock { state in
            if state.addresses.count >= Self.mostAddresses { Self.forget(&state.addresses, at: now) }
            var window = RateWindow(limit: limit.count, period: limit.period)
            if let standing = state.addresses[customer] { window = window.continuing(standing, at: now) }
            window.take(at: now)
            state.addresses[customer] = window
        }
    }

    /// Refuses an address that has done too much.
    func check(_ address: String, _ limit: Rate?) throws(Problem) {
        guard let limit, let customer = IPAddress(address)?.customer else { return }
        let now = clock.now()
        let next = state.withLock { state -> Timestamp? in
            guard let standing = state.addresses[customer] else { return nil }
            var window = RateWindow(limit: limit.count, period: limit.period).continuing(standing, at: now)
            return window.left(at: now) > 0 ? nil : window.next(at: now)
        }
        if let next { throw .tooFast(until: next - now, "This address may send \(Self.text(limit)).") }
    }

    /// Makes room: first those that do not count any more, then any.
    private static func forget(_ addresses: inout [IPAddress: RateWindow], at now: Timestamp) {
        addresses = addresses.filter { entry in
            var window = entry.value
            return window.left(at: now) < window.limit
        }
        guard addresses.count >= mostAddresses else { return }
        addresses = Dictionary(uniqueKeysWithValues: addresses.prefix(mostAddresses / 2).map { ($0.key, $0.value) })
    }

    // MARK: Quotas

    /// Holds the right to one picture until ``take`` or ``giveUp``.
    func reserve(_ key: ClientKey) throws(Problem) {
        guard let limit = key.quota else { return }
        let now = clock.now()
        let next = state.withLock { state -> Timestamp? in
            var account = state.accounts[key.account, default: Account()]
            let name = Self.name("quota", key.account)
            var window = Self.window(account.quota, limit, earlier: state.earlier[name], at: now)
            let left = window.left(at: now) - account.reserved
            // What is under way ends within a minute or so.
            let next = left > 0 ? nil : max(window.next(at: now), now + .seconds(1))
            account.quota = (limit, window)
            if next == nil { account.reserved += 1 }
            state.accounts[key.account] = account
            return next
        }
        if let next { throw .overQuota(until: next - now, limit) }
    }

    /// Ends a reservation.
    func giveUp(_ key: ClientKey) {
        guard key.quota != nil else { return }
        state.withLock { $0.accounts[key.account]?.reserved -= 1 }
    }

    /// Counts pictures of a request that holds a reservation; it has none afterwards.
    func take(_ count: Int, _ key: ClientKey) throws(Problem) {
        guard let limit = key.quota else { return }
        let now = clock.now()
        let next = state.withLock { state -> Timestamp? in
            var account = state.accounts[key.account, default: Account()]
            let name = Self.name("quota", key.account)
            var window = Self.window(account.quota, limit, earlier: state.earlier[name], at: now)
            guard window.left(at: now) - (account.reserved - 1) >= count else {
                return max(window.next(at: now), now + .seconds(1))
            }
            account.reserved -= 1
            for _ in 0..<count { window.take(at: now) }
            account.quota = (limit, window)
            state.accounts[key.account] = account
            journal.keep(RateMemory.json(window.counts), as: name)
            return nil
        }
        if let next { throw .overQuota(until: next - now, limit) }
    }

    /// What the names of all counts in the journal begin with.
    static let memory = "caller."

    /// What counted when the gateway stopped counts still: for keys of today, and for those that come, or get a rate or
    /// quota, with a later configuration.
    ///
    /// - Parameter values: All that the journal keeps under ``memory``; to be handed in before the first request.
    func restore(_ values: [String: JSONValue]) {
        state.withLock { $0.earlier = values.compactMapValues { RateMemory.counts($0) } }
    }

    private static func name(_ kind: String, _ account: String) -> String { "\(memory)\(kind).\(account)" }

    /// The window of a limit that may have changed since it last counted.
    ///
    /// - Parameter earlier: What an earlier run of the gateway counted.
    private static func window(
        _ standing: (limit: Rate, window: RateWindow)?,
        _ limit: Rate,
        earlier: RateWindow.Counts?,
        at now: Timestamp
    ) -> RateWindow {
        if let standing, standing.limit == limit { return standing.window }
        var window = RateWindow(limit: limit.count, period: limit.period)
        if let standing { return window.continuing(standing.window, at: now) }
        if let earlier { window.restore(earlier, at: now) }
        return window
    }

    private static func text(_ rate: Rate) -> String {
        "\(rate.count) \(rate.count == 1 ? "request" : "requests") in \(Problem.words(rate.period))"
    }

    // MARK: Bytes

    /// Counts bytes that are about to be received.
    ///
    /// The last tenth of the bound is for small requests, so that a few large ones do not keep the others out.
    ///
    /// - Parameters:
    ///   - earlier: Bytes of the same request that are counted already.
    ///   - others: Bytes of pictures under way.
    ///   - limit: 0 = no bound.
    /// - Returns: False when they would be too many; nothing is counted then.
    func receive(_ bytes: Int, earlier: Int = 0, others: Int, limit: Int) -> Bool {
        state.withLock { state in
            let used = state.receiving + others
            let (sum, overflow) = used.addingReportingOverflow(bytes)
            let isAlone = used == earlier
            let isSmall = earlier + bytes <= limit / 200
            let most = isAlone || isSmall ? limit : limit - limit / 10
            guard limit == 0 || (!overflow && sum <= most) else { return false }
            state.receiving += bytes
            return true
        }
    }

    /// Ends the count of ``receive``.
    func received(_ bytes: Int) { state.withLock { $0.receiving -= bytes } }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// Open connections with the instants at which they are cut.
///
/// The library's own timeout counts silence only, so a client that drips a byte a second would live for ever.
/// Descriptors are used under the lock that the close notice takes too, so that none is used after it was closed.
final class ConnectionTable: Sendable {
    /// What a connection is doing, which decides how it is cut.
    enum Phase {
        /// Waiting for a request, or reading the head of one.
        case idle
        /// Reading a head and body; being late is answered 408.
        case receiving
        /// The service computes the answer; no deadline.
        case working
        /// Sending the answer.
        case answering
    }

    /// Why a connection is only told to go.
    enum Surplus { case server, address }

    private struct Entry {
        var descriptor: Int32
        var address: String
        var phase: Phase
        var deadline: ContinuousClock.Instant?
        /// When the phase began.
        var since: ContinuousClock.Instant
        /// True after the first answer.
        var hasServed = false
        var surplus: Surplus?

        /// Who goes last when room is needed.
        var claim: SilenceQueue.Claim { hasServed ? .known : surplus == .address ? .surplus : .newcomer }

        /// What a client is told whose time is over.
        var late: HTTPAnswer {
            switch surplus {
            case .server: RawAnswer.busy
            case .address: RawAnswer.addressBusy
            case nil: RawAnswer.timeout
            }
        }
    }

    private struct State {
        var entries: [UInt: Entry] = [:]
        /// Those that may have to make room.
        var silent = SilenceQueue()
        /// Connections of each address.
        var addresses: [String: Int] = [:]
        /// Open connections that have no place.
        var placeless = 0
        var evicted = 0
        var opened = 0
    }

    /// How long a silent connection keeps its place although others wait for one.
    private static let idleGrace = Duration.milliseconds(250)
    /// How often the table looks for clients that have left.
    private static let look = Duration.milliseconds(500)
    /// How long a connection without a place may take for its head, to be told so.
    private static let surplusTime = Duration.seconds(1)

    private let limits: ServerLimits
    private let state = Mutex(State())
    private let refusals: Refusals
    private let wakeup = WakeupPair()

    init(limits: ServerLimits, refusals: Refusals) {
        self.limits = limits
        self.refusals = refusals
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Open connections, and all that were ever opened.
    var load: (open: Int, ever: Int) { state.withLock { ($0.entries.count, $0.opened) } }

    /// Silent connections that had to make room.
    var evictedCount: Int { state.withLock { $0.evicted } }

    /// A connection was accepted.
    ///
    /// When all places are taken, the one that has been silent for longest makes room: whoever opens thousands of connections
    /// and says nothing keeps nobody else out. Where they come faster than that, one of those beyond the limit has to go
    /// at once, for a library that is full would accept nobody.
    func open(_ key: UInt, descriptor: Int32, address: String) {
        let now = ContinuousClock.now
        let isFirst = state.withLock { state in
            let ofAddress = state.addresses[address, default: 0]
            let surplus = surplus(&state, address, ofAddress, at: now)
            state.addresses[address] = ofAddress + 1
            let entry = Entry(
                descriptor: descriptor,
                address: address,
                phase: .idle,
                deadline: now + (surplus == nil ? limits.clientTimeout : min(limits.clientTimeout, Self.surplusTime)),
                since: now,
                surplus: surplus
            )
            state.entries[key] = entry
            state.opened += 1
            if surplus != nil { state.placeless += 1 }
            Self.queue(&state, key, entry)
            return state.entries.count == 1
        }
        if isFirst { wake() }
    }

    /// A connection is about to be closed.
    func close(_ key: UInt) {
        state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: key) else { return }
            if entry.surplus != nil { state.placeless -= 1 }
            let left = state.addresses[entry.address, default: 1] - 1
            state.addresses[entry.address] = left > 0 ? left : nil
        }
    }

    /// Whether a new connection has no place; cuts another one for it where that helps.
    private func surplus(
        _ state: inout State,
        _ address: String,
        _ ofAddress: Int,
        at now: ContinuousClock.Instant
    ) -> Surplus? {
        let isTight = state.entries.count >= limits.maxConnections + limits.spareConnections / 2
        if let limit = limits.maxConnectionsPerAddress, ofAddress >= limit, !limits.unlimited.contains(address) {
            if isTight { _ = Self.makeRoom(&state, silentSince: now) }
            return .address
        }
        // Those that are only told to go keep nobody else from a place.
        guard state.entries.count - state.placeless >= limits.maxConnections else {
            if isTight { _ = Self.makeRoom(&state, silentSince: now) }
            return nil
        }
        let limit = isTight ? now : now - Self.idleGrace
        // One that had no place itself leaves none: the next one goes as well.
        while let freed = Self.makeRoom(&state, silentSince: limit) {
            if freed.surplus == nil { return nil }
        }
        return .server
    }

    /// Cuts silent connections, for want of descriptors.
    ///
    /// - Returns: How many there were, at most `count`.
    func makeRoom(_ count: Int) -> Int {
        state.withLock { state in
            for number in 0..<count where Self.makeRoom(&state, silentSince: .now) == nil { return number }
            return count
        }
    }

    /// Cuts a connection that has been silent since an instant: the one with the least claim, of these the longest silent.
    private static func makeRoom(_ state: inout State, silentSince limit: ContinuousClock.Instant) -> Entry? {
        let found = withQueue(&state) { queue, entries in
            queue.next(silentSince: limit) { isSilent($0, entries) }
        }
        guard let key = found?.key, let entry = state.entries[key] else { return nil }
        shutdown(entry.descriptor, Int32(SHUT_RDWR))
        state.entries[key]?.deadline = nil
        state.evicted += 1
        return entry
    }

    /// Lets a connection that says nothing make room from now on, when its turn comes.
    private static func queue(_ state: inout State, _ key: UInt, _ entry: Entry) {
        state.silent.add(SilenceQueue.Member(key: key, since: entry.since), entry.claim)
        guard state.silent.count > 2 * state.entries.count + 1_024 else { return }
        withQueue(&state) { queue, entries in queue.compact { isSilent($0, entries) } }
    }

    /// Works on the queue while the entries are looked at, without a copy of either.
    private static func withQueue<Result>(
        _ state: inout State,
        _ work: (inout SilenceQueue, [UInt: Entry]) -> Result
    ) -> Result {
        var queue = SilenceQueue()
        swap(&queue, &state.silent)
        defer { swap(&queue, &state.silent) }
        return work(&queue, state.entries)
    }

    /// True for what is as silent as it was; one without a deadline was cut already and waits for the library to notice.
    private static func isSilent(_ member: SilenceQueue.Member, _ entries: [UInt: Entry]) -> Bool {
        guard let entry = entries[member.key] else { return false }
        return entry.phase == .idle && entry.deadline != nil && entry.since == member.since
    }

    /// True while an answer is computed or sent.
    var hasAnswers: Bool {
        state.withLock { state in
            state.entries.values.contains { $0.phase == .working || $0.phase == .answering }
        }
    }

    /// Requests whose bodies are still coming.
    var receivingCount: Int { state.withLock { $0.entries.values.count { $0.phase == .receiving } } }

    /// Tells those whose bodies are still coming that nothing becomes of them, and closes our side.
    func refuseReceiving(with bytes: [UInt8], lingering time: Duration) {
        state.withLock { state in
            for (key, entry) in state.entries where entry.phase == .receiving {
                _ = Self.send(bytes, to: entry.descriptor)
                shutdown(entry.descriptor, Int32(SHUT_WR))
                state.entries[key]?.phase = .answering
                state.entries[key]?.deadline = .now + time
            }
        }
    }

    /// Why the connection has no place; `nil` when it has one.
    func surplus(_ key: UInt) -> Surplus? { state.withLock { $0.entries[key]?.surplus } }

    /// A head was read.
    ///
    /// Its body must come within the rest of the client's time; on a kept connection the time of
    /// the head is not known and the clock starts here.
    func beginRequest(_ key: UInt) {
        update(key) { entry in
            if entry.phase == .idle, entry.hasServed { entry.deadline = .now + limits.clientTimeout }
            entry.phase = .receiving
        }
    }

    /// Bytes of the body came; each second's worth at the lowest rate gives the client another second.
    func received(_ key: UInt, _ count: Int) {
        guard limits.minRate > 0 else { return }
        update(key) { $0.deadline? += .seconds(1) * (Double(count) / Double(limits.minRate)) }
    }

    /// The request is complete and the service works on it.
    func beginWork(_ key: UInt) {
        update(key) { entry in
            entry.phase = .working
            entry.deadline = nil
        }
    }

    /// The answer goes out; `time` is what a slow client may take, `nil` = the answer has no known end.
    func beginAnswer(_ key: UInt, within time: Duration?) {
        update(key) { entry in
            entry.phase = .answering
            entry.deadline = time.map { .now + $0 }
        }
    }

    /// The answer is sent; the next head must be complete within the idle and the client's time together.
    func endRequest(_ key: UInt) {
        state.withLock { state in
            guard var entry = state.entries[key] else { return }
            entry.phase = .idle
            entry.hasServed = true
            entry.since = .now
            entry.deadline = entry.since + limits.idleTimeout + limits.clientTimeout
            state.entries[key] = entry
            Self.queue(&state, key, entry)
        }
    }

    /// Sends a ready answer behind the library's back and closes our side; false when the socket did not take it.
    func sendLast(_ bytes: [UInt8], on key: UInt, lingering time: Duration) -> Bool {
        state.withLock { state in
            guard var entry = state.entries[key] else { return false }
            let sent = Self.send(bytes, to: entry.descriptor)
            shutdown(entry.descriptor, Int32(SHUT_WR))
            entry.phase = .answering
            entry.deadline = .now + time
            state.entries[key] = entry
            return sent
        }
    }

    /// True when the client has closed its side, and all that it sent was read.
    func hasClientFinished(_ key: UInt) -> Bool {
        state.withLock { state in state.entries[key].map { Self.isAtEnd($0.descriptor) } ?? false }
    }

    /// True when reading would give the end of the connection (C: recv).
    private static func isAtEnd(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        // SAFETY: one byte, alive during the call, which leaves it in the socket.
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Cuts every connection whose time is over, or whose client has left, on the sweeper's thread, until `isStopped` says so.
    func sweep(until isStopped: () -> Bool) {
        let tick = min(.milliseconds(500), max(.milliseconds(20), limits.clientTimeout / 8))
        let milliseconds = Int32(tick / .milliseconds(1))
        var lastLook = ContinuousClock.now
        while !isStopped() {
            let now = ContinuousClock.now
            cutLate(at: now)
            if now - lastLook >= Self.look {
                lastLook = now
                cutLeft()
            }
            wakeup.pause(count == 0 ? -1 : milliseconds)
        }
    }

    /// Ends the sweeper's pause.
    func wake() { wakeup.wake() }

    private func cutLate(at now: ContinuousClock.Instant) {
        state.withLock { state in
            for (key, entry) in state.entries {
                guard let deadline = entry.deadline, deadline <= now else { continue }
                if entry.phase == .receiving || !entry.hasServed {
                    _ = Self.send(RawAnswer.bytes(of: entry.late), to: entry.descriptor)
                    refusals.count(entry.late.status)
                }
                shutdown(entry.descriptor, Int32(SHUT_RDWR))
                state.entries[key]?.deadline = nil
            }
        }
    }

    /// Cuts those whose clients have left amid their bodies.
    ///
    /// The library reads when it is told that bytes have come; of an end that comes with the last of them it hears nothing more.
    private func cutLeft() {
        state.withLock { state in
            for (key, entry) in state.entries where entry.phase == .receiving && entry.deadline != nil {
                guard Self.isAtEnd(entry.descriptor) else { continue }
                shutdown(entry.descriptor, Int32(SHUT_RDWR))
                state.entries[key]?.deadline = nil
            }
        }
    }

    private func update(_ key: UInt, _ change: (inout Entry) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[key] else { return }
            change(&entry)
            state.entries[key] = entry
        }
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        // SAFETY: the array is alive during the call; the socket is non-blocking.
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL)) == buffer.count
        }
    }
}

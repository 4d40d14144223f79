// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Glibc
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("One service's trouble is its own")
struct IsolationTests {
    /// Milliseconds that each service of an answer took.
    private static func durations(_ answer: Bench.Answered, _ names: Set<String>) -> [Int] {
        (answer.body["deliveries"]?.array ?? []).compactMap { delivery in
            guard names.contains(delivery["service"]?.string ?? "") else { return nil }
            return delivery["duration_ms"]?.int
        }
    }

    /// Times of one condition, pooled over all clients.
    private final class Samples: Sendable {
        private let values = Mutex<(answers: [Duration], deliveries: [Int])>(([], []))

        func add(_ answer: Duration, _ deliveries: [Int]) {
            values.withLock { values in
                values.answers.append(answer)
                values.deliveries += deliveries
            }
        }

        var all: (answers: [Duration], deliveries: [Int]) { values.withLock { $0 } }
    }

    private static let five = ["a", "b", "c", "d", "e"]

    /// A gateway with five services that take a quarter of a second; `e` may hang until the door opens.
    private func bench(hanging: Bool, _ policy: RoutePolicy, _ door: Door) throws -> Bench {
        let route = Route(name: "default", services: Self.five, policy: policy)
        return try Bench(Self.five, options: .init(routes: [route])) { request throws(TransportError) in
            if hanging, host(request, is: "e") {
                await door.pass()
                throw TransportError(.stallTimeout, message: "", requestFullySent: false)
            }
            try? await Task.sleep(for: .milliseconds(250))
            return try await Bench.delivers(request)
        }
    }

    /// Eight clients that post to a gateway without and to one with a hanging service in turn, twelve times each.
    ///
    /// Whatever else the machine does meets both alike, so that their medians can be compared. The tail cannot with so
    /// few samples: `bench/hang.py` measures it.
    private func compare(_ policy: RoutePolicy) async throws -> (without: Samples, with: Samples) {
        let door = Door()
        let (first, second) = (try bench(hanging: false, policy, door), try bench(hanging: true, policy, door))
        let (without, with) = (Samples(), Samples())
        await withTaskGroup(of: Void.self) { group in
            for client in 0..<8 {
                group.addTask {
                    for turn in 0..<24 {
                        let isSecond = (turn + turn / 2 + client) % 2 == 1
                        let begin = ContinuousClock.now
                        let answer = await (isSecond ? second : first).post()
                        let time = ContinuousClock.now - begin
                        (isSecond ? with : without).add(time, Self.durations(answer, ["a", "b", "c", "d"]))
                    }
                }
            }
        }
        door.open()
        for bench in [first, second] { bench.gateway.interrupt() }
        return (without, with)
    }

    private func median<T: Comparable>(_ values: [T]) -> T { values.sorted()[values.count / 2] }

    @Test("With one of five services hanging, `any` answers as fast as without it")
    func anyIsFast() async throws {
        let (without, with) = try await compare(.any)
        #expect(without.all.answers.count == 96 && with.all.answers.count == 96)
        let ratio = median(with.all.answers) / median(without.all.answers)
        #expect(ratio <= 1.1, "median with a hanging service / without: \(ratio)")
    }

    @Test("With one of five services hanging, the other deliveries take no longer")
    func othersAreFast() async throws {
        let (without, with) = try await compare(.quorum(4))
        #expect(with.all.deliveries.count == 96 * 4)
        let ratio = Double(median(with.all.deliveries)) / Double(median(without.all.deliveries))
        #expect(ratio <= 1.1, "median with a hanging service / without: \(ratio)")
    }

    @Test("1,000 uploads that wait for a dead service hold no picture and slow nobody")
    func thousandWaiting() async throws {
        let door = Door()
        let route = Route(name: "default", services: ["a", "b"], policy: .any)
        let spool = CountingSpool()
        var options = Bench.Options(routes: [route], journal: MemoryJournal(holdsFiles: false), spool: spool)
        options.remembersRequests = false
        let bench = try Bench(["a", "b"], options: options) { request throws(TransportError) in
            if host(request, is: "b") {
                await door.pass()
                throw TransportError(.stallTimeout, message: "", requestFullySent: false)
            }
            return try await Bench.delivers(request)
        }
        for _ in 0..<1_000 { #expect(await bench.post().status == 202) }
        // The answer comes with the outcome at `a`; what the last uploads do at `b`, and the end of their tasks at `a`
        // that hold a picture, come a moment later.
        let isQueued = await Bench.eventually {
            let services = await bench.send("GET", "/v1/services")
            let state = services.body["services"]?[1]?["state"]
            return state?["under_way"] == .number("32") && state?["waiting"] == .number("968")
        }
        #expect(isQueued)
        #expect(bench.gateway.uploadsUnderWay == 1_000)
        // 32 attempts and a shelf of 64 at most, however many wait.
        #expect(await Bench.eventually { spool.open <= 96 }, "\(spool.open) pictures are open")
        // Answered at all, with the door still shut, and not after `answer_within`.
        #expect(await bench.post(query: [HTTPField("services", "a")]).status == 200)
        door.open()
        bench.gateway.interrupt()
        #expect(await Bench.eventually { bench.gateway.uploadsUnderWay == 0 })
    }

    @Test("A picture that cannot be opened for want of descriptors is tried again, and is not told as gone")
    func shortageIsTriedAgain() async throws {
        let spool = CountingSpool()
        var options = Bench.Options(journal: MemoryJournal(holdsFiles: false), spool: spool)
        options.openRenditions = 0
        let bench = try Bench(["a"], extra: ", retry: {attempts: 2}", options: options) {
            request throws(TransportError) in try await Bench.delivers(request)
        }
        spool.refuseReopening(1)
        let answer = await bench.post()
        #expect(answer.states == ["delivered"])
        #expect(answer.body["deliveries"]?[0]?["attempts"] == .number("2"))
        spool.refuseReopening(2)
        let failed = await bench.post()
        #expect(failed.states == ["failed"])
        let error = failed.body["deliveries"]?[0]?["error"]
        #expect(error?["kind"]?.string == "interrupted" && error?["retryable"] == .bool(true))
        #expect(error?["message"]?.string?.contains("limit of open files") == true)
    }

    @Test("A dead service opens its circuit; what comes then fails at once and can be retried")
    func circuitOpens() async throws {
        let extra = ", retry: {attempts: 1}, breaker: {failures: 3}"
        let bench = try Bench(["a"], extra: extra) { request throws(TransportError) in
            throw TransportError(.refused, message: "refused", requestFullySent: false)
        }
        for _ in 0..<3 {
            let answer = await bench.post()
            #expect(answer.body["deliveries"]?[0]?["error"]?["kind"]?.string == "network")
        }
        let answer = await bench.post()
        let delivery = try #require(answer.body["deliveries"]?[0])
        #expect(delivery["error"]?["kind"]?.string == "circuit_open")
        #expect(delivery["error"]?["retryable"] == .bool(true))
        #expect(delivery["attempts"] == .number("0"))
        #expect(bench.transport.requests.count == 3)
        let services = await bench.send("GET", "/v1/services")
        #expect(services.body["services"]?[0]?["state"]?["circuit"]?.string == "open")
        let isTold = bench.events.list.contains { event in
            if case .circuit("a", .open) = event { true } else { false }
        }
        #expect(isTold)
    }

    @Test("A 429 holds the deliveries of all uploads to that service, not of others")
    func holds() async throws {
        let count = Counter()
        let bench = try Bench(["a", "b"], extra: ", retry: {attempts: 1}, deadline: 5s") {
            request throws(TransportError) in
            if host(request, is: "a"), count.next() == 0 {
                return HTTPReply(
                    status: 429,
                    headers: [HTTPField("Retry-After", "60")],
                    body: [],
                    finalURL: request.url
                )
            }
            return try await Bench.delivers(request)
        }
        #expect(await bench.post().states == ["failed", "delivered"])
        let second = await bench.post()
        #expect(second.states == ["failed", "delivered"])
        #expect(second.body["deliveries"]?[0]?["error"]?["kind"]?.string == "rate_limited")
        #expect(bench.requests(to: "a") == 1)
    }
}

/// A spool whose files count how many are open, with their bytes in memory files of the system.
final class CountingSpool: Spool, SpoolOwner {
    private struct State {
        var open = 0
        var next = 0
        var kept: [String: [UInt8]] = [:]
        /// How often no descriptor is left when a file is opened again.
        var refusals = 0
    }

    private let folder: DiskSpool?
    private let state = Mutex(State())

    private let place = TemporaryFolder("counting")

    init() { folder = DiskSpool(folder: place.path) }

    var open: Int { state.withLock { $0.open } }

    func create() -> (any SpoolWriter)? { folder?.create().map { CountingWriter($0, self) } }

    /// The next so many times no descriptor is left.
    func refuseReopening(_ times: Int) { state.withLock { $0.refusals = times } }

    func reopen(_ name: String, size: Int) throws(DescriptorShortage) -> SpooledFile? {
        let isRefused = state.withLock { state in
            state.refusals -= 1
            return state.refusals >= 0
        }
        if isRefused { throw DescriptorShortage() }
        guard let bytes = state.withLock({ $0.kept[name] }), bytes.count == size else { return nil }
        guard let writer = folder?.create(), unsafe bytes.withUnsafeBytes({ unsafe writer.append($0) }) else {
            return nil
        }
        return writer.finish().map { wrap($0, name: name) }
    }

    func remove(_ name: String) {}
    func sweep(keeping names: Set<String>) {}
    func synchronize() -> Bool { true }
    func keep(_ name: String) {}

    func release(_ name: String, descriptor: Int32, size: Int) {
        state.withLock { $0.open -= 1 }
        _ = close(descriptor)
    }

    /// The file under a name of this spool, counted while it is open.
    func wrap(_ file: SpooledFile, name: String?) -> SpooledFile {
        let bytes = file.readAll() ?? []
        let own = state.withLock { state in
            state.open += 1
            state.next += 1
            let own = name ?? "counted-\(state.next)"
            state.kept[own] = bytes
            return own
        }
        return SpooledFile(path: "/nowhere/" + own, descriptor: dup(file.descriptor), size: file.size, owner: self)
    }
}

private final class CountingWriter: SpoolWriter {
    private let inner: any SpoolWriter
    private let owner: CountingSpool

    init(_ inner: any SpoolWriter, _ owner: CountingSpool) {
        self.inner = inner
        self.owner = owner
    }

    var path: String { inner.path }
    var count: Int { inner.count }
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool { unsafe inner.append(bytes) }
    func finish() -> SpooledFile? { inner.finish().map { owner.wrap($0, name: nil) } }
    func discard() { inner.discard() }
}

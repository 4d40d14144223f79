// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("A configuration that changes while uploads are under way")
struct ChangeTests {
    private static func yaml(_ names: [String], path: String = "up", more: String = "") -> String {
        names.map { "\($0): {url: 'https://\($0).example/\(path)', file: file, link: $.url\(more)}" }.joined(
            separator: "\n"
        )
    }

    private static func change(_ bench: Bench, to yaml: String, unchanged: Set<String> = []) throws {
        bench.running.change(to: GatewaySettings(), services: try Bench.services(yaml), unchanged: unchanged)
    }

    @Test("An upload under way ends with the services and URLs that it began with; the next one has the new ones")
    func generations() async throws {
        let door = Door()
        let bench = try Bench(yaml: Self.yaml(["a", "b"])) { request throws(TransportError) in
            if request.url.hasSuffix("/up") { await door.pass() }
            return try await Bench.delivers(request)
        }
        async let early = bench.post()
        #expect(await Bench.eventually { bench.transport.requests.count == 2 })
        try Self.change(bench, to: Self.yaml(["b", "c"], path: "new"))
        let late = await bench.post()
        #expect(late.body["deliveries"]?.array?.map { $0["service"]?.string } == ["b", "c"])
        door.open()
        let first = await early
        #expect(first.body["deliveries"]?.array?.map { $0["service"]?.string } == ["a", "b"])
        #expect(first.status == 200 && late.status == 200)
        let urls = Set(bench.transport.requests.map(\.url))
        #expect(
            urls == ["https://a.example/up", "https://b.example/up", "https://b.example/new", "https://c.example/new"]
        )
    }

    @Test("Both generations share a service's places")
    func sharedQueue() async throws {
        let door = Door()
        let underWay = Mutex((now: 0, most: 0))
        let bench = try Bench(yaml: Self.yaml(["a"], more: ", limits: {concurrency: 2}")) {
            request throws(TransportError) in
            underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await door.pass()
            underWay.withLock { $0.now -= 1 }
            return try await Bench.delivers(request)
        }
        let answers = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<3 { group.addTask { await bench.post().status } }
            #expect(await Bench.eventually { bench.transport.requests.count == 2 })
            let isChanged =
                (try? Self.change(bench, to: Self.yaml(["a"], path: "b", more: ", limits: {concurrency: 2}"))) != nil
            #expect(isChanged)
            for _ in 0..<3 { group.addTask { await bench.post().status } }
            try? await Task.sleep(for: .milliseconds(50))
            door.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: 200, count: 6) && underWay.withLock { $0.most } == 2)
    }

    @Test(
        "The circuit of an unchanged service stays open; that of a changed one is tried again",
        arguments: [true, false]
    )
    func circuits(isUnchanged: Bool) async throws {
        let more = ", breaker: {failures: 1, pause: 1h}, retry: {attempts: 1}"
        let isDown = Atomic(true)
        let bench = try Bench(yaml: Self.yaml(["a"], more: more)) { request throws(TransportError) in
            if isDown.load(ordering: .relaxed) {
                throw TransportError(.refused, message: "no", requestFullySent: false)
            }
            return try await Bench.delivers(request)
        }
        _ = await bench.post()
        isDown.store(false, ordering: .relaxed)
        try Self.change(bench, to: Self.yaml(["a"], more: more), unchanged: isUnchanged ? ["a"] : [])
        let answer = await bench.post()
        let kind = answer.body["deliveries"]?.array?.first?["error"]?["kind"]?.string
        #expect(kind == (isUnchanged ? "circuit_open" : nil))
    }

    @Test("What the rate has counted is not forgotten")
    func rates() async throws {
        let more = ", limits: {rate: 2/hour}, retry: {attempts: 1}, deadline: 1s"
        let bench = try Bench(yaml: Self.yaml(["a"], more: more), script: Bench.delivers)
        #expect(await bench.post().status == 200)
        try Self.change(bench, to: Self.yaml(["a"], path: "b", more: more))
        #expect(await bench.post().status == 200)
        let third = await bench.post()
        #expect(third.body["deliveries"]?.array?.first?["error"]?["kind"]?.string == "rate_limited")
    }

    @Test(
        "A service that comes back, or gets its rate again, with a reload has what the rate counted before a restart",
        arguments: ["a", "b"]
    )
    func keptRates(standing: String) async throws {
        let more = ", limits: {rate: 1/hour}, retry: {attempts: 1}, deadline: 1s"
        let journal = MemoryJournal()
        let first = try Bench(
            yaml: Self.yaml(["a"], more: more),
            options: .init(journal: journal),
            script: Bench.delivers
        )
        #expect(await first.post().status == 200)
        let name = RateMemory.name(of: "a")
        #expect(await Bench.eventually { (try? await journal.kept(name)) ?? nil != nil })
        let second = try Bench(yaml: Self.yaml([standing]), options: .init(journal: journal), script: Bench.delivers)
        await second.gateway.start()
        try Self.change(second, to: Self.yaml(["a"], more: more))
        #expect(await Bench.eventually { second.running.gateway.engine.gates["a"]?.snapshot.rateLeft == 0 })
        #expect(await second.post().states == ["failed"])
    }

    @Test("Services come and go under load: no upload is lost, none mixes two configurations")
    func underLoad() async throws {
        let sets = [["a", "b"], ["b", "c"], ["a", "b", "c", "d"], ["d"]]
        let bench = try Bench(yaml: Self.yaml(sets[0], path: "0")) { request throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(1))
            return try await Bench.delivers(request)
        }
        let answers = try await withThrowingTaskGroup(of: [Bench.Answered].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var answers: [Bench.Answered] = []
                    for _ in 0..<25 { answers.append(await bench.post()) }
                    return answers
                }
            }
            for round in 1..<40 {
                try Self.change(bench, to: Self.yaml(sets[round % sets.count], path: "\(round % sets.count)"))
                try await Task.sleep(for: .milliseconds(2))
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(answers.count == 100 && answers.allSatisfy { $0.status == 200 })
        for answer in answers {
            let entries = answer.body["deliveries"]?.array ?? []
            let names = entries.compactMap { $0["service"]?.string }
            // The last part of each link is /SET/1.
            let generations = Set(
                entries.compactMap { $0["link"]?.string?.split(separator: "/").dropLast().last.map(String.init) }
            )
            #expect(generations.count == 1)
            #expect(generations.first.flatMap { Int($0) }.map { sets[$0] } == names)
        }
        #expect(bench.transport.requests.count == answers.reduce(0) { $0 + $1.states.count })
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Glibc
import Synchronization
import Testing

@testable import FanlightGateway

@Suite struct SessionKeeperTests {
    /// A clock that tests set.
    final class ManualClock: Sendable {
        private let seconds = Atomic<Int64>(1_000_000)
        var identity: Identity { Identity(now: { self.seconds.load(ordering: .relaxed) * 1_000 }, random: { 7 }) }
        func advance(_ count: Int64) { seconds.wrappingAdd(count, ordering: .relaxed) }
    }

    private static let pool = BlockingPool(threads: 2)

    private static func service(_ extra: String = "", refresh: String = "refresh-0001") throws -> CompiledService {
        let text = """
            a:
              url: https://a.example/up
              auth:
                type: oauth2
                token_url: https://id.example/token
                client_id: client-1
                refresh_token: \(refresh)
            \(extra)
              file: image
              link: $.url
            """
        let root = try #require(YAMLReader.read(Array(text.utf8), file: "c.yaml").root)
        let entry = try #require(root.entries.first)
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        var diagnostics: [Diagnostic] = []
        let service = compiler.compile(name: entry.key, node: entry.value, diagnostics: &diagnostics)
        #expect(diagnostics.isEmpty, "\(diagnostics.map(\.description))")
        return try #require(service)
    }

    /// A token host that takes each refresh token once.
    final class TokenHost: Sendable {
        private let state: Mutex<(valid: String, count: Int)>
        init(valid: String = "refresh-0001") { state = Mutex((valid, 0)) }

        var logins: Int { state.withLock { $0.count } }

        func answer(_ request: HTTPRequest) -> HTTPReply {
            guard case .bytes(let bytes) = request.body else { return reply("{}", 400) }
            let form = String(decoding: bytes, as: UTF8.self)
            return state.withLock { state in
                state.count += 1
                guard form.contains("refresh_token=\(state.valid)&") else {
                    return reply(#"{"error": "invalid_grant"}"#, 400)
                }
                state.valid = "rotated-\(state.count)"
                let body =
                    #"{"access_token": "access-\#(state.count)", "expires_in": 3600, "refresh_token": "\#(state.valid)"}"#
                return reply(body, 200)
            }
        }

        private func reply(_ body: String, _ status: Int) -> HTTPReply {
            HTTPReply(status: status, headers: [], body: Array(body.utf8), finalURL: "https://id.example/token")
        }
    }

    private let place = TemporaryFolder("sessions")
    private var folder: String { place.file("state/sessions") }

    private static func transport(_ host: TokenHost) -> ScriptedTransport {
        ScriptedTransport { (request) async throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(20))
            return host.answer(request)
        }
    }

    private static let need = SessionNeed(service: "a")

    @Test func thoseWhoNeedASessionShareOneLogin() async throws {
        let host = TokenHost()
        let clock = ManualClock()
        let transport = Self.transport(host)
        let keeper = SessionKeeper(folder: nil, transport: transport, pool: Self.pool, identity: clock.identity)
        let service = try Self.service()
        let tokens = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try? await keeper.session(for: service, Self.need).get().values["access_token"]?.string
                }
            }
            var all: [String?] = []
            for await token in group { all.append(token) }
            return all
        }
        #expect(tokens == [String?](repeating: "access-1", count: 20))
        #expect(host.logins == 1)
        clock.advance(3_600)
        #expect(try await keeper.session(for: service, Self.need).get().values["access_token"]?.string == "access-2")
    }

    @Test func aStaleSessionIsRenewedOnce() async throws {
        let host = TokenHost()
        let keeper = SessionKeeper(folder: nil, transport: Self.transport(host), pool: Self.pool)
        let service = try Self.service()
        let first = try await keeper.session(for: service, Self.need).get()
        let stale = SessionNeed(service: "a", stale: first.generation)
        let second = try await keeper.session(for: service, stale).get()
        let third = try await keeper.session(for: service, stale).get()
        #expect(second.generation == first.generation + 1)
        #expect(third == second)
        #expect(host.logins == 2)
    }

    @Test func aRotatedTokenOutlivesTheProcessAndIsTheOwnersAlone() async throws {
        let host = TokenHost()
        let clock = ManualClock()
        let folder = folder
        let service = try Self.service()
        let transport = Self.transport(host)
        func keeper() -> SessionKeeper {
            SessionKeeper(folder: folder, transport: transport, pool: Self.pool, identity: clock.identity)
        }
        _ = try await keeper().session(for: service, Self.need).get()
        var facts = stat()
        // SAFETY: string and record live through the call.
        #expect(unsafe stat(folder + "/a.json", &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        #expect(try await keeper().session(for: service, Self.need).get().values["access_token"]?.string == "access-1")
        #expect(host.logins == 1, "a kept session is good until it ends")
        clock.advance(4_000)
        let renewed = try await keeper().session(for: service, Self.need).get()
        #expect(renewed.values["access_token"]?.string == "access-2", "the rotated token was used")
        #expect(renewed.generation == 2)
    }

    @Test func newCredentialsOfTheOperatorReplaceKeptOnes() async throws {
        let folder = folder
        let old = TokenHost()
        let first = SessionKeeper(folder: folder, transport: Self.transport(old), pool: Self.pool)
        _ = try await first.session(for: try Self.service(), Self.need).get()
        let new = TokenHost(valid: "refresh-0002")
        let second = SessionKeeper(folder: folder, transport: Self.transport(new), pool: Self.pool)
        let service = try Self.service(refresh: "refresh-0002")
        #expect(try await second.session(for: service, Self.need).get().values["access_token"]?.string == "access-1")
        #expect(new.logins == 1)
    }

    @Test func aRefusedKeptTokenGivesWayToTheOperatorsOwn() async throws {
        let folder = folder
        let clock = ManualClock()
        let service = try Self.service()
        let old = TokenHost()
        let first = SessionKeeper(
            folder: folder,
            transport: Self.transport(old),
            pool: Self.pool,
            identity: clock.identity
        )
        _ = try await first.session(for: service, Self.need).get()
        clock.advance(4_000)
        let new = TokenHost()
        let second = SessionKeeper(
            folder: folder,
            transport: Self.transport(new),
            pool: Self.pool,
            identity: clock.identity
        )
        #expect(try await second.session(for: service, Self.need).get().generation == 2)
        #expect(new.logins == 2)
    }

    @Test func aRefusalIsNotAskedForAgainAndAgain() async throws {
        let host = TokenHost(valid: "other")
        let clock = ManualClock()
        let keeper = SessionKeeper(
            folder: nil,
            transport: Self.transport(host),
            pool: Self.pool,
            identity: clock.identity
        )
        let service = try Self.service()
        for _ in 0..<5 {
            guard case .failure(let failure) = await keeper.session(for: service, Self.need) else {
                Issue.record("no failure")
                return
            }
            #expect(failure.kind == .auth)
        }
        #expect(host.logins == 1)
        clock.advance(61)
        _ = await keeper.session(for: service, Self.need)
        #expect(host.logins == 2)
    }

    @Test func loginsKeepTheirRate() async throws {
        let host = TokenHost()
        let clock = ManualClock()
        let keeper = SessionKeeper(
            folder: nil,
            transport: Self.transport(host),
            pool: Self.pool,
            identity: clock.identity
        )
        let service = try Self.service("    login_rate: 2/5m")
        for generation in 0..<2 {
            let need = SessionNeed(service: "a", stale: generation == 0 ? nil : generation)
            _ = try await keeper.session(for: service, need).get()
        }
        let third = await keeper.session(for: service, SessionNeed(service: "a", stale: 2))
        guard case .failure(let failure) = third else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == .rateLimited)
        #expect(failure.retry == .retryAfter(.seconds(300)))
        clock.advance(300)
        #expect(try await keeper.session(for: service, SessionNeed(service: "a", stale: 2)).get().generation == 3)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// Lets one request through for each idempotency key; those that come meanwhile wait for it.
///
/// What became of a key afterwards stands in the journal.
final class IdempotencyDesk: Sendable {
    /// A key of one client, with what it was sent with.
    struct Entry: Sendable {
        var key: String
        var client: String
        var digest: String

        func journal(uploads: [String], at now: Int64) -> JournalKey {
            JournalKey(key: key, client: client, bodyDigest: digest, uploads: uploads, createdAt: now)
        }
    }

    private let turns = Turnstile()

    /// The key of a request; `nil` when it has none.
    ///
    /// - Throws: `malformed` where it is no key, or there are several.
    static func key(_ head: RequestHead) throws(Problem) -> String? {
        guard let key = head.header("Idempotency-Key") else { return nil }
        // Which of two counts is a guess, and a wrong one sends a picture twice.
        guard head.headers.count(where: { $0.name.lowercased() == "idempotency-key" }) == 1 else {
            throw Problem(
                .malformed,
                "Idempotency-Key is given more than once; a request has one.",
                field: "Idempotency-Key"
            )
        }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                .malformed,
                "An Idempotency-Key is 1 to 255 characters of ASCII without blanks.",
                field: "Idempotency-Key"
            )
        }
        return key
    }

    /// Digest of what a request wants: its pictures and its fields, whatever form they came in.
    static func digest(pictures: [String], fields: [HTTPField]) -> String {
        ContentHash.sha256(of: LengthPrefixed.bytes(pictures + fields.flatMap { [$0.name, $0.value] }))
    }

    /// Takes the key; waits while another request has it.
    func take(_ key: String, client: String) async { await turns.take(client + " " + key) }

    /// Gives the key back.
    func give(_ key: String, client: String) { turns.give(client + " " + key) }
}

extension Gateway {
    /// Answers a request with a key: does it once, and reports what it did to whoever sends the same again.
    func answerOnce(
        _ key: String,
        _ digest: String,
        _ client: Client,
        _ preference: Preference,
        _ work: @Sendable (IdempotencyDesk.Entry) async throws(Problem) -> [LiveUpload]
    ) async throws(Problem) -> HTTPAnswer {
        await keys.take(key, client: client.name)
        let result = await once(key, digest, client, work)
        keys.give(key, client: client.name)
        switch result {
        case .failure(let problem): throw problem
        case .success(.done(let uploads)): return await report(uploads, preference)
        case .success(.stored(let ids)): return try await replay(ids, client, preference)
        }
    }

    private enum Once {
        case done([LiveUpload])
        case stored([String])
    }

    private func once(
        _ key: String,
        _ digest: String,
        _ client: Client,
        _ work: @Sendable (IdempotencyDesk.Entry) async throws(Problem) -> [LiveUpload]
    ) async -> Result<Once, Problem> {
        do throws(JournalError) {
            if let stored = try await engine.journal.key(key, client: client.name, now: engine.now) {
                guard stored.bodyDigest == digest else { return .failure(.keyReused) }
                return .success(.stored(stored.uploads))
            }
        } catch {
            return .failure(Problem(error))
        }
        do throws(Problem) {
            return .success(.done(try await work(.init(key: key, client: client.name, digest: digest))))
        } catch {
            return .failure(error)
        }
    }

    private func replay(_ ids: [String], _ client: Client, _ preference: Preference) async throws(Problem) -> HTTPAnswer
    {
        var uploads: [LiveUpload] = []
        for id in ids { uploads.append(try await find(id, client)) }
        return await report(uploads, preference, replayed: true)
    }
}

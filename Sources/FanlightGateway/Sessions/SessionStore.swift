// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Glibc

/// A session with what it belongs to.
struct KeptSession: Sendable, Equatable {
    /// ``CompiledService/sessionFingerprint`` of the credentials that opened it.
    var fingerprint: String
    var values: SessionValues
}

/// One file a service, readable by the owner only; every call blocks.
struct SessionStore: Sendable {
    /// The folder; made when the first session is kept.
    let folder: String

    /// The session of a service; `nil` when there is none, or none that can be read.
    func read(_ service: String) -> KeptSession? {
        guard let bytes = contents(of: path(service)),
            let json = try? JSONParser.parse(bytes, maxDepth: JSONParser.deepest)
        else { return nil }
        return KeptSession(json: json)
    }

    /// Replaces the session of a service at once: whoever reads sees the old one or the new one, also after a crash.
    ///
    /// - Returns: False when the disk fails.
    func write(_ session: KeptSession, of service: String) -> Bool {
        guard Folder.make(folder) else { return false }
        let draft = path(service) + ".new"
        // SAFETY: strings and buffer live through the calls; the descriptor belongs to this function.
        _ = unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        let bytes = Array(session.json.serialized().utf8)
        var isWritten = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count
        isWritten = isWritten && fsync(descriptor) == 0
        isWritten = close(descriptor) == 0 && isWritten
        // SAFETY: as above.
        guard isWritten, unsafe rename(draft, path(service)) == 0 else {
            _ = unsafe unlink(draft)
            return false
        }
        return synchronize()
    }

    /// Forgets the session of a service.
    func remove(_ service: String) { Folder.remove(path(service)) }

    private func path(_ service: String) -> String { folder + "/" + service + ".json" }

    /// Makes the new name durable.
    private func synchronize() -> Bool {
        // SAFETY: the string lives through the call; the descriptor belongs to this function.
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    private func contents(of path: String) -> [UInt8]? {
        // SAFETY: the string lives through the call; the descriptor and the buffer belong to this function.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var out: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while out.count < 1_048_576 {
            let got = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard got > 0 else { return got == 0 ? out : nil }
            out += buffer[..<got]
        }
        return nil
    }
}

extension KeptSession {
    /// Reads what ``json`` wrote; `nil` for anything else.
    init?(json: JSONValue) {
        guard let fingerprint = json["fingerprint"]?.string, let generation = json["generation"]?.int,
            let members = json["values"]?.object
        else { return nil }
        let cookies = (json["cookies"]?.array ?? []).compactMap { item -> SessionCookie? in
            guard let name = item["name"]?.string, let value = item["value"]?.string, let host = item["host"]?.string
            else { return nil }
            return SessionCookie(name: name, value: value, host: host)
        }
        self.fingerprint = fingerprint
        values = SessionValues(
            values: Dictionary(members.map { ($0.name, $0.value) }) { _, last in last },
            cookies: cookies,
            generation: generation,
            expiresAt: json["expires_at"]?.int
        )
    }

    /// All of it; secrets included.
    var json: JSONValue {
        let sorted = values.values.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
        let cookies = values.cookies.map { cookie in
            JSONValue.object([
                .init("name", .string(cookie.name)), .init("value", .string(cookie.value)),
                .init("host", .string(cookie.host)),
            ])
        }
        return .object([
            .init("fingerprint", .string(fingerprint)), .init("generation", .int(values.generation)),
            .init("expires_at", values.expiresAt.map { .int($0) } ?? .null), .init("values", .object(sorted)),
            .init("cookies", .array(cookies)),
        ])
    }
}

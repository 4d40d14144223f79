// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightGateway
import FanlightJournal
import FanlightTestSupport
import Foundation
import Synchronization

/// A gateway in process with the journal, spool and session folder of a real one, and every entry of the catalogue as a
/// service whose secrets are marks.
final class SecretsRig: Sendable {
    /// An entry as a service, with what one of its tests says of the host.
    struct Entry: Sendable {
        var name: String
        var service: CompiledService
        var options: [HTTPField]
        var replies: [HTTPReply]
    }

    /// What the hosts do.
    enum Mood: Sendable {
        /// What the entry's own test says.
        case good
        /// A reply of this status that says every credential of the request back.
        case echo(Int)
    }

    private struct State {
        var entry: Entry?
        var mood = Mood.good
        var taken = 0
        var log: [String] = []
        /// Replies that held a mark.
        var told = 0
    }

    let folder: String
    let entries: [Entry]
    let service: any HTTPService
    let journal: SQLiteJournal
    private let gateway: Gateway
    private let state: Mutex<State>
    private let script: ScriptedTransport

    init() throws {
        folder = NSTemporaryDirectory() + "fanlight-secrets-" + UUID().uuidString
        entries = Catalogue.standard.names.compactMap(Self.entry)
        var settings = GatewaySettings()
        settings.sessions = folder + "/sessions"
        let spool = DiskSpool(folder: folder + "/spool")
        guard let spool else { throw TransportError(.stopped, message: "no spool", requestFullySent: false) }
        journal = try SQLiteJournal(state: folder, spool: spool)
        let box = Box()
        script = ScriptedTransport(remembers: false) { request throws(TransportError) in
            guard let rig = box.rig.withLock({ $0 }) else {
                throw TransportError(.stopped, message: "", requestFullySent: false)
            }
            return rig.answer(request)
        }
        state = Mutex(State())
        let observatory = Observatory(version: "test")
        let log = EventLog { line in box.rig.withLock { $0 }?.note(line) }
        gateway = Gateway(
            settings: settings,
            services: entries.map(\.service),
            spool: spool,
            images: PassingProcessor(),
            transport: script,
            journal: journal,
            pool: BlockingPool(threads: 1),
            log: log,
            events: GatewayEvents { event in
                observatory.events.tell(event)
                log.note(event, at: "2026-01-01T00:00:00.000Z")
            }
        )
        let gateway = gateway
        service = ObservedService(observatory: observatory) {
            GatewayService(gateway: gateway, observatory: observatory)
        }
        box.rig.withLock { $0 = self }
    }

    /// Lets the transport's script find the rig, which is made after it.
    private final class Box: Sendable {
        let rig = Mutex<SecretsRig?>(nil)
    }

    var log: [String] { state.withLock { $0.log } }
    /// Replies so far that said a secret back.
    var told: Int { state.withLock { $0.told } }

    private func note(_ line: JSONValue) { state.withLock { $0.log.append(line.serialized()) } }

    /// The host of one entry from now on.
    func play(_ entry: Entry, _ mood: Mood) {
        state.withLock { state in
            state.entry = entry
            state.mood = mood
            state.taken = 0
        }
    }

    // MARK: Entries

    /// An entry with marks in place of its secrets, and with one attempt a delivery.
    private static func entry(_ name: String) -> Entry? {
        guard let node = Catalogue.standard[name], let description = Catalogue.standard.entry(name),
            node["store"] == nil, let test = node["tests"]?.items.first(where: { $0["result"] != nil })
        else { return nil }
        let at = test.position
        let secret = Set(description.settings.filter(\.isSecret).map(\.name))
        var members = (test["service"]?.entries ?? []).filter { !["retry", "adapter"].contains($0.key) }
        for index in members.indices where secret.contains(members[index].key) {
            let old = members[index].value.text ?? ""
            let mark = PlantedMark.next(of: name, members[index].key)
            let value = old.hasPrefix("http") ? old + (old.contains("?") ? "&planted=" : "/") + mark.percent : mark.text
            members[index].value = Node(.scalar(value, isPlain: false), at: at)
        }
        func add(_ key: String, _ value: Node.Content) {
            members.append(Node.Entry(key: key, position: at, value: Node(value, at: at)))
        }
        add("adapter", .scalar(name, isPlain: true))
        let attempts = Node.Entry(key: "attempts", position: at, value: Node(.scalar("1", isPlain: true), at: at))
        add("retry", .mapping([attempts]))
        var diagnostics: [Diagnostic] = []
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        let compiled = compiler.compile(name: name, node: Node(.mapping(members), at: at), diagnostics: &diagnostics)
        guard let compiled, compiled.enabled else { return nil }
        let options = (test["options"]?.entries ?? []).compactMap { option in
            option.value.text.map { HTTPField("option.\(name).\(option.key)", $0) }
        }
        return Entry(name: name, service: compiled, options: options, replies: replies(test))
    }

    private static func replies(_ test: Node) -> [HTTPReply] {
        let nodes = test["exchanges"]?.items.map { $0["reply"] } ?? [test["reply"]]
        return nodes.map { node in
            let headers = (node?["headers"]?.entries ?? []).map { HTTPField($0.key, $0.value.text ?? "") }
            let status = node?["status"]?.text.flatMap { Int($0) } ?? 200
            return HTTPReply(
                status: status,
                headers: headers,
                body: Array((node?["body"]?.text ?? "").utf8),
                finalURL: ""
            )
        }
    }

    // MARK: Hosts

    private func answer(_ request: HTTPRequest) -> HTTPReply {
        state.withLock { state in
            var reply = HTTPReply(status: 404, headers: [], body: [], finalURL: request.url)
            guard let entry = state.entry else { return reply }
            switch state.mood {
            case .good:
                // The question for limits is no part of the test.
                if entry.service.discoveryRequest(now: 0)?.url == request.url { return reply }
                guard state.taken < entry.replies.count else { return reply }
                reply = entry.replies[state.taken]
                reply.finalURL = request.url
                state.taken += 1
            case .echo(let status):
                reply.status = status
                reply.body = Array(Self.echo(of: request).utf8)
                if !PlantedMark.found(in: Data(reply.body)).isEmpty { state.told += 1 }
            }
            return reply
        }
    }

    /// A failure that says all of a request back, as far as it is text; the credentials come first.
    private static func echo(of request: HTTPRequest) -> String {
        var pieces = request.headers.filter { $0.name.lowercased() != "content-type" }.map(\.value)
        switch request.body {
        case .bytes(let bytes): pieces.append(String(decoding: bytes, as: UTF8.self))
        case .pieces(let parts):
            for case .bytes(let bytes) in parts { pieces.append(String(decoding: bytes, as: UTF8.self)) }
        case .multipart(let parts):
            for case .text(let text) in parts.map(\.content) { pieces.append(text) }
        case .empty, .file: break
        }
        pieces.append(request.url)
        let words = "Refused: " + pieces.joined(separator: " ")
        return JSONValue.object([
            .init("message", .string(words)), .init("error", .object([.init("message", .string(words))])),
        ])
        .serialized()
    }
}

/// A value that stands for a secret, and the ways in which it could be written.
struct PlantedMark: Sendable {
    private static let all = Mutex<[PlantedMark]>([])

    let text: String
    let owner: String

    /// A new mark: base64 with all of its signs, of 24 letters.
    static func next(of entry: String, _ setting: String) -> PlantedMark {
        all.withLock { all in
            let digits = String(format: "%04d", all.count)
            let mark = PlantedMark(text: "Planted+Sec/\(digits)Key+0A==", owner: entry + "." + setting)
            all.append(mark)
            return mark
        }
    }

    static var list: [PlantedMark] { all.withLock { $0 } }

    var percent: String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    /// Marks that bytes show, in whatever writing; each is named by its owner.
    static func found(in bytes: Data) -> [String] {
        // Every writing of a mark holds one of these.
        let stems = ["Planted+Sec", "Planted%2BSec", "Planted%2bSec", "Planted Sec"].map { Data($0.utf8) }
        let coded = ["", "a", "ab"].map { Data(base64Core($0 + "Planted+Sec/").utf8) }
        let hex = Data("Planted+Sec".utf8.map { String(format: "%02x", $0) }.joined().utf8)
        return (stems + coded + [hex]).filter { bytes.range(of: $0) != nil }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func base64Core(_ text: String) -> String {
        let skipped = text.count - "Planted+Sec/".count
        let letters = Data(text.utf8).base64EncodedString()
        return String(letters.dropFirst(skipped == 0 ? 0 : skipped + 1).prefix { $0 != "=" }.dropLast(2))
    }
}

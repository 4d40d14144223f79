// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightGateway
import FanlightImaging
import FanlightTestSupport
import Glibc
import Synchronization

/// The gateway with services that answer at once, and a journal in memory.
final class GuardGateway: Sendable {
    private static let boundary = "fanlight-guard-5d1c"

    private let service: ObservedService
    private let images: HelperPool
    private let result = Mutex<Bool?>(nil)

    /// Joins the parts; `nil` when the folder cannot be made.
    init?(folder: String, services: Int) {
        guard let spool = DiskSpool(folder: folder) else { return nil }
        var settings = GatewaySettings()
        settings.constraints.metadata = .strip
        let images = HelperPool(
            executable: "/nonexistent",
            workers: 1,
            timeout: .seconds(10),
            recycleAfter: 500,
            spool: spool
        )
        self.images = images
        let observatory = Observatory(version: "guard")
        let transport = ScriptedTransport(remembers: false) { request throws(TransportError) in
            HTTPReply(
                status: 200,
                headers: [HTTPField("Content-Type", "application/json")],
                body: Array(#"{"url":"\#(request.url)/1.jpg"}"#.utf8),
                finalURL: request.url
            )
        }
        let gateway = Gateway(
            settings: settings,
            services: Self.services(services),
            spool: spool,
            images: images,
            transport: transport,
            journal: MemoryJournal(holdsFiles: false),
            pool: BlockingPool(threads: 1),
            log: EventLog { _ = $0.serialized() },
            events: GatewayEvents { observatory.events.tell($0) }
        )
        service = ObservedService(observatory: observatory) {
            GatewayService(gateway: gateway, observatory: observatory)
        }
    }

    private static func services(_ count: Int) -> [CompiledService] {
        let text = (0..<count).map { "s\($0): {url: 'https://s\($0).example/up', file: file, link: $.url}" }
        let read = YAMLReader.read(Array(text.joined(separator: "\n").utf8), file: "guard.yaml")
        var diagnostics: [Diagnostic] = []
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        return (read.root?.entries ?? []).compactMap {
            compiler.compile(name: $0.key, node: $0.value, diagnostics: &diagnostics)
        }
    }

    /// So many uploads, one after another; false when one is not delivered.
    ///
    /// The main thread waits by itself: an `await` of the main program ends in a call that valgrind does not know.
    func uploads(_ count: Int, of picture: [UInt8]) -> Bool {
        Task {
            var isGood = true
            for _ in 0..<count where isGood { isGood = await upload(picture) }
            result.withLock { $0 = isGood }
        }
        while true {
            if let isGood = result.withLock({ $0 }) { return isGood }
            usleep(5_000)
        }
    }

    /// One upload as a form, in the pieces in which a connection brings it; false when it is not delivered.
    func upload(_ picture: [UInt8]) async -> Bool {
        let head =
            "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA title\r\n"
            + "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\n"
        let body = Array(head.utf8) + picture + Array("\r\n--\(Self.boundary)--\r\n".utf8)
        let request = RequestHead(
            method: "POST",
            path: "/v1/uploads",
            headers: [HTTPField("Content-Type", "multipart/form-data; boundary=\(Self.boundary)")],
            contentLength: body.count,
            peer: "192.0.2.1"
        )
        guard case .receive(let sink) = service.decide(request) else { return false }
        for start in stride(from: 0, to: body.count, by: 32_768) {
            let piece = body[start..<min(start + 32_768, body.count)]
            // SAFETY: the sink copies what it keeps of the bytes within the call.
            if unsafe piece.withUnsafeBytes({ unsafe sink.receive($0) }) != nil { return false }
        }
        return await sink.finish().status == 200
    }

    /// Ends the threads.
    func end() { images.shutdown() }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Glibc

/// Services compiled from text, and uploads made up for them.
enum Fixtures {
    /// Compiles the first service of a YAML mapping of services.
    static func compile(
        _ yaml: String,
        environment: [String: String] = [:],
        files: [String: String] = [:],
        catalogue: Catalogue = .standard
    ) -> (service: CompiledService?, messages: [String]) {
        let (root, found) = YAMLReader.read(Array(yaml.utf8), file: "config.yaml")
        var diagnostics = found
        guard let entry = root?.entries.first else { return (nil, found.map(\.description)) }
        let compiler = ServiceCompiler(
            catalogue: catalogue,
            environment: { environment[$0] },
            readFile: { files[$0] }
        )
        let service = compiler.compile(name: entry.key, node: entry.value, diagnostics: &diagnostics)
        return (service, diagnostics.map(\.description))
    }

    /// A delivery of seven bytes that lie in memory.
    static func context(
        caption: Caption = Caption(),
        geotag: Geotag? = nil,
        options: [String: String] = [:],
        captures: [String: String] = [:]
    ) -> DeliveryContext {
        DeliveryContext(
            caption: caption,
            geotag: geotag,
            takenAt: "2018-07-25T14:34:23.500+02:00",
            rendition: Rendition(
                file: SpooledFile(path: "", descriptor: -1, size: 7),
                mediaType: .jpeg,
                width: 640,
                height: 480,
                lane: .untouched
            ),
            options: options,
            captures: captures,
            uploadID: "upload-1",
            idempotencyKey: "key-1",
            uuid: "uuid-1",
            now: 1_700_000_000,
            publicURL: "http://gateway.test",
            content: Array("picture".utf8)
        )
    }

    /// A complete reply.
    static func reply(_ body: String, status: Int = 200, headers: [HTTPField] = [], sent: Bool = true) -> HTTPReply {
        HTTPReply(
            status: status,
            headers: headers,
            body: Array(body.utf8),
            finalURL: "https://img.example.org/up",
            requestFullySent: sent
        )
    }

    /// The request of a service for one delivery.
    static func request(_ service: CompiledService?, _ context: DeliveryContext = context()) -> HTTPRequest? {
        guard let service else { return nil }
        var run = DeliveryRun(service: service, context: context)
        guard case .send(let request, _) = run.handle(.start, now: context.now) else { return nil }
        return request
    }

    /// What a delivery of one request makes of a reply.
    static func outcome(
        _ service: CompiledService?,
        _ reply: HTTPReply,
        _ context: DeliveryContext = context()
    ) -> Result<DeliveryLinks, DeliveryFailure>? {
        service.flatMap { outcome($0, .reply(reply), context) }
    }

    /// What a delivery of one request makes of an event after its request went out.
    static func outcome(
        _ service: CompiledService,
        _ event: DeliveryRun.Event,
        _ context: DeliveryContext = context()
    ) -> Result<DeliveryLinks, DeliveryFailure>? {
        var run = DeliveryRun(service: service, context: context)
        _ = run.handle(.start, now: context.now)
        guard case .finished(let result) = run.handle(event, now: context.now) else { return nil }
        return result
    }

    /// The folder of field cases, where it exists beside the package.
    static let sharedFolder: String? = {
        if let named = environment("FANLIGHT_SHARED") { return named }
        var steps = #filePath.split(separator: "/").map(String.init)
        while !steps.isEmpty {
            steps.removeLast()
            let path = "/" + (steps + ["shared", "cases"]).joined(separator: "/")
            // SAFETY: the string lives through the call.
            if unsafe access(path, R_OK) == 0 { return "/" + (steps + ["shared"]).joined(separator: "/") }
        }
        return nil
    }()

    private static func environment(_ name: String) -> String? {
        // SAFETY: the value is copied at once.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// The bytes of a file; `nil` when it cannot be read.
    static func bytes(_ path: String) -> [UInt8]? {
        // SAFETY: descriptor and buffer belong to this function.
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var out: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard got > 0 else { return got == 0 ? out : nil }
            out += buffer[..<got]
        }
    }

    /// A stored HTTP reply, head and body.
    static func storedReply(_ path: String) -> HTTPReply? {
        guard let bytes = bytes(path) else { return nil }
        let mark: [UInt8] = [13, 10, 13, 10]
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let headers = lines.dropFirst().compactMap { line -> HTTPField? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return HTTPField(String(line[..<colon]), String(line[line.index(colon, offsetBy: 2)...]))
        }
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return HTTPReply(
            status: status,
            headers: headers,
            body: Array(bytes[(end + 4)...]),
            finalURL: "http://127.0.0.1:9004/up"
        )
    }
}

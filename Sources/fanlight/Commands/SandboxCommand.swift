// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightGateway
import FanlightImaging
import FanlightMetadata
import FanlightMicrohttpd

/// `fanlight sandbox`: loopback services for trying things out.
enum SandboxCommand {
    static func run(_ arguments: [String]) async throws {
        let parsed = try Arguments(arguments, options: ["--listen", "--make-photo", "--inspect"])
        try parsed.refuseWords()
        let given = parsed.options.keys.sorted()
        if given.count > 1 { throw UsageError("\(given.joined(separator: " and ")) exclude each other") }
        if let path = parsed.options["--make-photo"] { return try await makePhoto(path) }
        if let path = parsed.options["--inspect"] { return try inspect(path) }
        let signals = StopSignals()
        let listen = try ListenAddress.of(parsed.options["--listen"] ?? "127.0.0.1:8090")
        let service = SandboxService()
        let server: MicrohttpdServer
        do {
            server = try MicrohttpdServer(
                address: listen.host,
                port: UInt16(clamping: listen.port),
                service: service,
                limits: ServerLimits()
            )
        } catch {
            throw CommandFailure("cannot listen on \(listen.host):\(listen.port): \(error)")
        }
        let url = "http://\(listen.urlHost):\(server.port)"
        service.announce(url)
        Console.announce("sandbox ready \(url)")
        signals.wait()
        server.stop()
    }

    /// Makes a geotagged JPEG that a camera held sideways would store.
    private static func makePhoto(_ path: String) async throws {
        // The folder is empty only when nobody holds a file of it any more.
        defer { Files.removeFolder(path + ".spool") }
        try await makePhoto(path, spoolFolder: path + ".spool")
        Console.out(path)
    }

    private static func makePhoto(_ path: String, spoolFolder: String) async throws {
        guard let spool = DiskSpool(folder: spoolFolder), let writer = spool.create() else {
            throw CommandFailure("cannot write beside \(path)")
        }
        let bitmap = DemoPhoto.bitmap()
        // SAFETY: the array lives through the call.
        guard unsafe bitmap.withUnsafeBytes({ unsafe writer.append($0) }), let source = writer.finish() else {
            throw CommandFailure("cannot write beside \(path)")
        }
        let images = HelperPool(
            executable: Files.sibling("fanlight-imaging"),
            workers: 1,
            timeout: .seconds(30),
            recycleAfter: 10,
            spool: spool
        )
        defer { images.shutdown() }
        let facts = ImageFacts(mediaType: .bmp, width: DemoPhoto.storedWidth, height: DemoPhoto.storedHeight)
        let rendition = try await images.prepare(
            source,
            facts: facts,
            constraints: RenditionConstraints(maxEdge: 0, formats: [.jpeg], quality: 90)
        )
        guard let jpeg = rendition.file.readAll(), Files.write(DemoPhoto.tagged(jpeg), to: path) else {
            throw CommandFailure("cannot write \(path)")
        }
    }

    /// Prints what a picture's bytes say, for people and for scripts.
    private static func inspect(_ path: String) throws {
        guard let bytes = Files.read(path) else { throw CommandFailure("cannot read \(path)") }
        let facts: ImageFacts
        do {
            facts = try ImageReader.read(bytes, limits: ImageLimits())
        } catch {
            throw CommandFailure("\(path): no picture that the gateway takes: \(error)")
        }
        let place =
            facts.geotag.map {
                "gps \(DecimalText.rounded($0.latitude, digits: 7)), \(DecimalText.rounded($0.longitude, digits: 7))"
            } ?? "gps none"
        Console.out(
            "\(facts.mediaType.mime) \(facts.width)x\(facts.height) orientation \(facts.orientation.rawValue) \(place)"
        )
    }
}

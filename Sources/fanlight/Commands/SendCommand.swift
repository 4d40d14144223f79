// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightCurl
import FanlightGateway

/// `fanlight send`: uploads files to a running gateway and prints the links.
enum SendCommand {
    static func run(_ arguments: [String]) async throws {
        let parsed = try Arguments(arguments, options: ["--config", "--to", "--services"])
        guard !parsed.words.isEmpty else { throw UsageError("name at least one file: fanlight send FILE...") }
        let base = try parsed.options["--to"] ?? address(parsed)
        let transport = CurlTransport()
        defer { transport.shutdown() }
        var failures = 0
        for (index, path) in parsed.words.enumerated() {
            let bar = ProgressBar(file: path, position: "\(index + 1)/\(parsed.words.count)")
            do {
                let reply = try await upload(path, to: base, services: parsed.options["--services"], transport, bar)
                bar.clear()
                failures += show(reply, path) ? 0 : 1
            } catch let error as CommandFailure {
                bar.clear()
                Console.error("\(path): \(error.message)")
                failures += 1
            }
        }
        if failures > 0 {
            throw CommandFailure("\(failures) of \(parsed.words.count) files were not delivered everywhere")
        }
    }

    private static func address(_ parsed: Arguments) throws -> String {
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed))
        let listen = loaded.configuration.server.listen
        return "http://\(listen.urlHost):\(listen.port)"
    }

    private static func upload(
        _ path: String,
        to base: String,
        services: String?,
        _ transport: CurlTransport,
        _ bar: ProgressBar
    ) async throws -> HTTPReply {
        guard let bytes = Files.read(path) else { throw CommandFailure("cannot be read") }
        guard !bytes.isEmpty else { throw CommandFailure("is empty") }
        var headers = [HTTPField("Content-Type", "application/octet-stream"), HTTPField("Accept", "application/json")]
        headers.append(HTTPField("User-Agent", "fanlight/\(HelpCommand.version)"))
        let query = services.map { "?services=" + escaped($0) } ?? ""
        var request = HTTPRequest(
            method: "POST",
            url: base + "/v1/uploads" + query,
            headers: headers,
            body: .bytes(bytes),
            // The gateway may be quiet for as long as its slowest service.
            timeouts: Timeouts(stall: .seconds(120), total: .seconds(600))
        )
        let size = bytes.count
        request.progress = { bar.show($0, of: size) }
        bar.show(0, of: size)
        do {
            return try await transport.send(request)
        } catch {
            throw CommandFailure("\(base) did not answer: \(error.message)")
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [44, 45, 95].contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            result += isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }
    }

    /// Prints links to standard output and failures to standard error; true when everything was delivered.
    private static func show(_ reply: HTTPReply, _ path: String) -> Bool {
        guard let report = try? JSONParser.parse(reply.body) else {
            Console.error("\(path): the gateway answered with status \(reply.status) and no report")
            return false
        }
        if let detail = report["detail"]?.string {
            Console.error("\(path): \(detail)")
            return false
        }
        if case .array(let deliveries)? = report["deliveries"] {
            for delivery in deliveries {
                let name = delivery["service"]?.string ?? "?"
                if let link = delivery["link"]?.string ?? delivery["page"]?.string {
                    Console.out("\(name) \(link)")
                } else {
                    let state = delivery["status"]?.string ?? "?"
                    Console.error(
                        "\(path): \(name): \(state): \(delivery["error"]?["message"]?.string ?? "no reason given")"
                    )
                }
            }
        }
        return report["status"]?.string == "delivered"
    }
}

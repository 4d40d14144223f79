// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightCurl

/// `fanlight health`: asks a running gateway whether it is ready; for container health checks and scripts.
enum HealthCommand {
    static func run(_ arguments: [String]) async throws {
        let parsed = try Arguments(arguments, options: ["--config", "--to"])
        try parsed.refuseWords()
        let base = try parsed.options["--to"] ?? configuredURL(parsed)
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let request = HTTPRequest(
            method: "GET",
            url: base + "/readyz",
            timeouts: Timeouts(connect: .seconds(2), stall: .seconds(4), total: .seconds(4))
        )
        let reply: HTTPReply
        do throws(TransportError) {
            reply = try await transport.send(request)
        } catch {
            throw CommandFailure("\(base) does not answer: \(error.message)")
        }
        let text = String(decoding: reply.body.prefix(1_000), as: UTF8.self)
        guard reply.status == 200 else { throw CommandFailure("\(base) is not ready (\(reply.status)): \(text)") }
        Console.out("\(base) is ready")
    }

    /// Where the gateway of a configuration is, whatever else stands in the file by now.
    ///
    /// A gateway goes on with the configuration that it has when the file is broken, and must not be called ill for it.
    private static func configuredURL(_ parsed: Arguments) throws -> String {
        let path = LoadedConfiguration.path(parsed)
        let server = LoadedConfiguration.server(of: path)
        if let url = AddressNote(configuration: path, state: server?.state).read() { return url }
        guard let server else {
            throw CommandFailure(
                "cannot read \(path), or it is no regular file; name another with --config FILE, or --to URL"
            )
        }
        return "http://\(server.listen.urlHost):\(server.listen.port)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@Suite("Routes' optional and shadow services, and the webhook, in config.yaml")
struct DeliveryConfigurationTests {
    private let services = "services: {a: {adapter: local}, b: {adapter: local}, c: {adapter: local}}\n"

    @Test("A route says how much its services count")
    func roles() throws {
        let text = services + "routes: {r: {services: [a, b, c], policy: any, optional: b, shadow: [c]}}"
        let (decoded, findings) = decode(text)
        #expect(findings.isEmpty)
        let route = try #require(decoded?.route("r"))
        #expect(route.roles == ["b": .optional, "c": .shadow])
        #expect(decoded?.route("default")?.roles == [:])
    }

    @Test(
        "What cannot be is told with its place",
        arguments: [
            ("{services: [a, b], optional: [c]}", "'c' is no service of this route"),
            ("{services: [a, b], optional: [b], shadow: [b]}", "either optional or shadow"),
            ("{services: [a], shadow: [a]}", "must not be shadow"),
            ("{services: [a, b], shadow: [b], policy: {quorum: 2}}", "(1)"),
        ]
    )
    func mistakes(route: String, words: String) {
        let (decoded, findings) = decode(services + "routes: {r: \(route)}")
        #expect(decoded == nil)
        #expect(findings.count == 1 && findings[0].contains(words), "\(findings)")
    }

    @Test("The webhook takes its secret from the environment")
    func notify() throws {
        let text = services + "notify: {url: 'https://example.org/hook', secret: '${env:S}', attempts: 3}"
        let references = References(variable: { $0 == "S" ? "sixteen characters" : nil }, file: { _ in nil })
        let (decoded, findings) = decode(text, references: references)
        #expect(findings.isEmpty)
        let notify = try #require(decoded?.notify)
        #expect(notify.url == "https://example.org/hook" && notify.attempts == 3)
        #expect(notify.secret.value == "sixteen characters" && !"\(notify)".contains("sixteen"))
        #expect(try #require(decode(services).configuration).notify == nil)
    }

    @Test(
        "A webhook that cannot work is told",
        arguments: [
            ("{url: 'https://example.org/'}", "secret"), ("{secret: 0123456789abcdef}", "url"),
            ("{url: 'ftp://example.org/', secret: 0123456789abcdef}", "http or https"),
            ("{url: 'https://example.org/', secret: short}", "16 characters"),
        ]
    )
    func badWebhooks(notify: String, words: String) {
        let (decoded, findings) = decode(services + "notify: \(notify)")
        #expect(decoded == nil)
        #expect(findings.count == 1 && findings[0].contains(words), "\(findings)")
        #expect(!findings.joined().contains("0123456789"))
    }
}

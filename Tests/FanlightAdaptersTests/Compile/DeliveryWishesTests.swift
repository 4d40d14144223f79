// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

@Suite("How a service's deliveries are treated beside others")
struct DeliveryWishesTests {
    private func compile(_ keys: String) -> (service: CompiledService?, findings: [String]) {
        let read = YAMLReader.read(
            Array("a: {url: 'https://a.example/', file: file, link: $.url\(keys)}".utf8),
            file: "t.yaml"
        )
        var diagnostics = read.diagnostics
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        let service = read.root?.entries.first.flatMap {
            compiler.compile(name: $0.key, node: $0.value, diagnostics: &diagnostics)
        }
        return (service, diagnostics.map(\.message))
    }

    @Test("Keys and their defaults")
    func keys() throws {
        #expect(try #require(compile("").service).delivery == DeliveryWishes())
        let keys =
            ", optional: true, duplicates: reuse, breaker: {failures: 3, pause: 5s, longest: 1m, when_open: wait}"
        let wishes = try #require(compile(keys).service).delivery
        #expect(wishes.role == .optional && wishes.reusesDuplicates)
        let rules = BreakerRules(failures: 3, pause: .seconds(5), longest: .seconds(60), whenOpen: .wait)
        #expect(wishes.breaker == rules)
        #expect(try #require(compile(", shadow: true").service).delivery.role == .shadow)
    }

    @Test(
        "Mistakes are findings",
        arguments: [
            ", optional: maybe", ", duplicates: twice", ", breaker: {failures: many}", ", breaker: {fail: 1}",
            ", breaker: {when_open: hope}",
        ]
    )
    func mistakes(keys: String) {
        let (service, findings) = compile(keys)
        #expect(service == nil && findings.count == 1, "\(findings)")
    }
}

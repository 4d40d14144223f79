// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import Testing

@Suite("Adapters that no service uses")
struct UnusedAdapterTests {
    private func messages(_ yaml: String, file: String = "config.yaml") -> [String] {
        let (root, found) = YAMLReader.read(Array(yaml.utf8), file: file)
        var diagnostics = found
        var catalogue = Catalogue.standard
        for entry in root?.entries ?? [] { catalogue.add(entry.key, entry.value) }
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        for entry in root?.entries ?? [] {
            compiler.check(adapter: entry.key, beside: "config.yaml", diagnostics: &diagnostics)
        }
        return diagnostics.map(\.description)
    }

    @Test("Every mistake is told at its place")
    func mistakesAreTold() {
        let yaml = """
            z: {nonsens: 2}
            y:
              nonsense: 1
              url: https://host.test/up
              link: $.[
              settings: {a: {typ: text}}
              headers: {X-A: "${nothing}"}
            x: {adapter: nowhere}
            """
        let found = messages(yaml)
        #expect(found.contains { $0.hasPrefix("config.yaml:1:5: error: unknown key 'nonsens' in the adapter 'z'") })
        #expect(found.contains { $0.hasPrefix("config.yaml:3:3: error: unknown key 'nonsense' in the adapter 'y'") })
        #expect(found.contains { $0.hasPrefix("config.yaml:5:9: error: ") })
        #expect(found.contains { $0.contains("'typ'") })
        #expect(found.contains { $0.contains("nothing") })
        #expect(found.contains { $0.contains("unknown adapter 'nowhere'") })
    }

    @Test(
        "A mistake in an adapter that others are based on is told once, at its place",
        arguments: [
            ("  nonsense: 1\n", "2:3: error: unknown key 'nonsense' in the adapter 'a'"),
            // Those that are based on it declare a name that is near.
            ("  extra_settng: 1\n", "2:3: error: unknown key 'extra_settng' in the adapter 'a'"),
            ("  settings:\n    url: {}\n", "3:5: error: a setting cannot be named 'url'"),
            ("  link: $.[\n", "2:9: error: "),
            ("  limits: {bytes: 5}\n", "2:19: error: "),
        ]
    )
    func mistakesOfBases(mistake: String, finding: String) {
        let yaml =
            "a:\n" + mistake
                + """
                  url: https://host.test/up
                b: {adapter: a, settings: {extra_setting: {}}}
                c: {adapter: a, description: other}
                d: {adapter: c}
                """
        let found = messages(yaml)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("config.yaml:" + finding) == true, "\(found)")
    }

    @Test(
        "What a service, a variable or a file would give may be missing",
        arguments: [
            "{link: $.url}",
            "{url: '${setting.host}/up', file: file, link: $.url, settings: {host: {type: url, required: true}}}",
            "{url: '/up', file: file, link: $.url}",
            "{url: https://host.test/up, headers: {X-Key: '${env:UNSET_KEY}'}, link: $.url}",
            "{adapter: imgur}",
            "{link: $.url, steps: [{id: a, url: 'https://a.test/', save: {t: $.t}}, {id: b, url: '${t}', file: file}]}",
        ]
    )
    func gapsAreAllowed(adapter: String) {
        #expect(messages("a: \(adapter)\n") == [])
    }

    @Test("A file of its own must not hold credentials")
    func credentialsAreTold() {
        let yaml = "a: {url: https://host.test/up, link: $.url, auth: {bearer: abcdefghijklmnop}}\n"
        #expect(messages(yaml, file: "a.yaml").contains { $0.hasPrefix("a.yaml:1:") })
    }

    @Test("The catalogue's are without mistakes", arguments: Catalogue.standard.names)
    func catalogueIsClean(name: String) {
        var diagnostics: [Diagnostic] = []
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        compiler.check(adapter: name, beside: "config.yaml", diagnostics: &diagnostics)
        #expect(diagnostics == [])
    }

    @Test("A service uses its adapter and all that one is based on")
    func usedAdapters() throws {
        var catalogue = Catalogue.standard
        let own = YAMLReader.read(Array("a: {adapter: b}\nb: {adapter: imgur}\nc: {adapter: c}\n".utf8), file: "x").root
        for entry in try #require(own).entries { catalogue.add(entry.key, entry.value) }
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        func used(_ text: String) -> Set<String> {
            YAMLReader.read(Array(text.utf8), file: "x").root.map { compiler.adapters(of: $0) } ?? []
        }
        #expect(used("{adapter: a}").isSuperset(of: ["a", "b", "imgur"]))
        #expect(used("{adapter: c}") == ["c"])
        #expect(used("{url: x}") == ["generic"])
    }
}

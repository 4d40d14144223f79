// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// Secrets of every catalogue entry stay out of what `explain` shows.
@Suite struct PlantedSecretTests {
    @Test(arguments: Catalogue.standard.names)
    func noSecretIsShown(_ name: String) throws {
        let entry = try #require(Catalogue.standard.entry(name))
        var secrets: [String] = []
        var yaml = "planted:\n  adapter: \(name)\n"
        for setting in entry.settings where setting.isSecret || setting.isRequired {
            // Long enough for every kind of key, and base64 where one has to be.
            let word = "cGxhbnRlZC1zZWNyZXQ\(secrets.count)MDEyMzQ1Njc4"
            let secret = setting.type == "url" ? "https://planted.example.org/" + word : word
            let value = setting.isSecret ? secret : Self.plain(setting)
            if setting.isSecret { secrets.append(value) }
            yaml += "  \(setting.name): '\(value)'\n"
        }
        let (service, messages) = Fixtures.compile(yaml)
        if service == nil, messages.allSatisfy({ $0.contains("needs 'url'") }) { return }
        #expect(messages == [])
        let planted = try #require(service)
        let context = Fixtures.context(options: Dictionary(entry.options.map { ($0.name, "7") }) { first, _ in first })
        let steps = planted.rehearse(context)
        #expect(!steps.isEmpty)
        for step in steps {
            for text in Self.texts(step) {
                let shown = planted.redacted(text, context)
                for secret in secrets { #expect(!shown.contains(secret), "\(step.id)") }
            }
        }
    }

    private static func plain(_ setting: CatalogueEntry.Value) -> String {
        if let word = setting.words.first { return word }
        switch setting.type {
        case "url": return "https://planted.example.org"
        case "int": return "7"
        case "bool": return "true"
        default: return "planted"
        }
    }

    /// Everything of a step that could be printed.
    private static func texts(_ step: RehearsedStep) -> [String] {
        switch step.deed {
        case .fail(let failure): return [failure.message]
        case .store(let folder, let name): return [folder, name]
        case .send(let request):
            var texts = [request.url] + request.headers.map(\.value)
            switch request.body {
            case .bytes(let bytes): texts.append(String(decoding: bytes, as: UTF8.self))
            case .pieces(let pieces):
                for case .bytes(let bytes) in pieces { texts.append(String(decoding: bytes, as: UTF8.self)) }
            case .multipart(let parts):
                for case .text(let text) in parts.map(\.content) { texts.append(text) }
            case .empty, .file: break
            }
            return texts
        }
    }
}

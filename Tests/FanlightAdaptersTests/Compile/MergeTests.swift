// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

@Suite struct MergeTests {
    private static func catalogue(_ auth: String) -> Catalogue {
        let base = """
            settings: {word: {type: text, secret: true}}
            url: https://img.example.org/
            auth: \(auth)
            """
        var catalogue = Catalogue()
        for (name, text) in [("generic", "method: POST"), ("base", base)] {
            if let node = YAMLReader.read(Array(text.utf8), file: name + ".yaml").root { catalogue.add(name, node) }
        }
        return catalogue
    }

    private static func authorization(_ base: String, _ service: String) -> (header: String?, messages: [String]) {
        let yaml = "mine:\n  adapter: base\n  word: p\n  auth: \(service)\n"
        let (compiled, messages) = Fixtures.compile(yaml, catalogue: catalogue(base))
        guard let compiled else { return (nil, messages) }
        var run = DeliveryRun(service: compiled, context: Fixtures.context())
        guard case .send(let request, _) = run.handle(.start, now: 1_700_000_000) else { return (nil, messages) }
        return (request.headers.first { $0.name == "Authorization" }?.value, messages)
    }

    @Test func anAuthOfAnotherTypeLeavesTheOldOnesKeysBehind() {
        let found = Self.authorization(
            "{type: header, value: \"Client-ID ${setting.word}\"}",
            "{type: bearer, token: t}"
        )
        #expect(found.messages == [])
        #expect(found.header == "Bearer t")
    }

    @Test func anAuthOfAnotherTypeKeepsTheKeysThatItKnows() {
        let found = Self.authorization("{type: digest, username: ada, password: \"${setting.word}\"}", "{type: basic}")
        #expect(found.messages == [])
        #expect(found.header == "Basic YWRhOnA=")
    }

    @Test func anAuthOfTheSameTypeIsMerged() {
        let found = Self.authorization(
            "{type: basic, username: ada, password: \"${setting.word}\"}",
            "{type: basic, password: q}"
        )
        #expect(found.header == "Basic YWRhOnE=")
    }

    @Test func aServiceMovedToAnotherSiteLeavesTheDeletionOfItsEntryBehind() {
        let moved = "h: {adapter: imgur, client_id: client-1, url: 'https://mirror.example/3/image'"
        let (service, messages) = Fixtures.compile(moved + "}")
        #expect(messages == [])
        #expect(service?.canDelete == false)
        let (both, more) = Fixtures.compile(moved + ", delete: {url: 'https://mirror.example/3/image/${deletehash}'}}")
        #expect(more == [])
        #expect(both?.canDelete == true)
        #expect(Fixtures.compile("h: {adapter: imgur, client_id: client-1}").service?.canDelete == true)
    }

    @Test func aDeletionAtAHostThatIsNotDeclaredIsAMistakeOfWhoWritesIt() {
        let (_, messages) = Fixtures.compile(
            """
            h:
              adapter: imgur
              client_id: client-1
              url: https://mirror.example/3/image
              delete: {url: 'https://other.example/${deletehash}'}
            """
        )
        #expect(messages.count == 1)
        #expect(messages.first?.contains("the deletion goes to other.example") == true)
    }

    @Test func anAuthCanBeTakenAway() {
        let found = Self.authorization("{type: basic, username: ada, password: \"${setting.word}\"}", "~")
        #expect(found.messages == [])
        #expect(found.header == nil)
    }
}

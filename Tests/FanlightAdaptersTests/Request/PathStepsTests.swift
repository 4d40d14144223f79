// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// What a client gives stays below the address that the operator wrote.
@Suite struct PathStepsTests {
    private static let climbing = ["../../bob/private", "..", "a/../../b", "./../x", "..\\..\\x", "a/..", "."]

    @Test(arguments: Catalogue.standard.names)
    func noEntryLetsAClientLeaveItsFolder(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) {
            for value in Self.climbing {
                var changed = rehearsal
                for option in changed.service.options where option.type == .text {
                    changed.context.options[option.name] = value
                }
                changed.context.caption.title = value
                changed.context.fileStem = value
                var host = ScriptedHost(changed)
                let attempt = host.deliver(changed.answer)
                for sent in attempt.sent {
                    let path = WebAddress(sent.request.url)?.path ?? sent.request.url
                    #expect(!PathSteps.lead(path), "\(rehearsal): \(value) leads to \(sent.request.url)")
                }
            }
        }
    }

    @Test(arguments: ["urlpath", "urlencode"], climbing)
    func aPathThatLeadsElsewhereIsRefused(filter: String, value: String) throws {
        let service = try StepTests.service(
            "dav: {options: {folder: {type: text}}, url: 'https://h.example/pics/${option.folder|\(filter)}/x', link: $.url}"
        )
        var play = Play(service, Fixtures.context(options: ["folder": value]))
        let end = play.failure(.start)
        let failure = try #require(end)
        #expect(failure.kind == .rejected && failure.retry == .never)
        #expect(failure.message == "dav takes no '.' or '..' as a part of a path, which 'option.folder' makes")
    }

    @Test(arguments: ["2026/sea", "a..b", "...", ".hidden", "%2e%2e", "x/.well-known", "sea..jpg"])
    func otherDotsAreCharacters(value: String) throws {
        let service = try StepTests.service(
            "dav: {options: {folder: {type: text}}, url: 'https://h.example/pics/${option.folder|urlpath}', link: $.url}"
        )
        var play = Play(service, Fixtures.context(options: ["folder": value]))
        let request = play.request(.start)
        #expect(request?.url == "https://h.example/pics/" + TextCoding.percentEncoded(value, keeping: "/"))
    }

    /// Two values that are harmless alone.
    @Test func valuesThatLeadElsewhereTogether() throws {
        let service = try StepTests.service(
            "dav: {url: 'https://h.example/${title|urlpath}${field.more|urlpath}/x', link: $.url}"
        )
        let caption = Caption(title: "a/.", fields: [("more", "./b")])
        var play = Play(service, Fixtures.context(caption: caption))
        let failure = play.failure(.start)
        #expect(failure?.kind == .rejected)
    }

    @Test(arguments: [
        ("${title}", "title"), ("${option.a}", "option.a"), ("${field.x|lower}", "field.x"), ("x?t=${alt}", "alt"),
    ])
    func aTextThatIsNotEncodedIsWarnedOf(template: String, name: String) {
        let options = "{a: {type: text}, n: {type: int}}"
        let (service, messages) = Fixtures.compile(
            "h: {options: \(options), url: 'https://h.example/\(template)', link: $.u}"
        )
        #expect(service != nil && messages.count == 1)
        #expect(messages.first?.contains("warning: '\(name)' goes into the URL as the client writes it") == true)
        #expect(messages.first?.hasSuffix("write ${\(name)|urlencode}") == true)
    }

    @Test(arguments: [
        "${title|urlencode}", "${option.n}", "${field.x|lower|urlpath}", "${uuid}", "${title|md5}.${file.ext}",
    ])
    func otherValuesAreNot(template: String) {
        let options = "{a: {type: text}, n: {type: int}}"
        let (_, messages) = Fixtures.compile(
            "h: {options: \(options), url: 'https://h.example/\(template)', link: $.u}"
        )
        #expect(messages == [])
    }

    @Test func aTextThatDoesNotFitIsNamed() throws {
        let (service, _) = Fixtures.compile("h: {url: 'https://h.example/${title}', link: $.u}")
        var play = Play(try #require(service), Fixtures.context(caption: Caption(title: "two words")))
        let failure = play.failure(.start)
        #expect(failure?.message == "the URL of h is not complete; 'title' may not fit into it")
    }
}

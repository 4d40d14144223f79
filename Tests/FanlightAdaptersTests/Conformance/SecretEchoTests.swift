// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@testable import FanlightAdapters

/// A host that says the credentials back, in every form and place: nothing that people see holds them.
@Suite struct SecretEchoTests {
    @Test(arguments: Catalogue.standard.names)
    func echoedSecretsAreNotShown(_ name: String) {
        for shape in PlantedSecrets.Shape.allCases {
            for test in Catalogue.standard[name]?["tests"]?.items ?? [] where test["result"] != nil {
                guard let planted = PlantedSecrets(test, of: name, shape),
                    let rehearsal = Rehearsal(name, planted.test)
                else { continue }
                #expect(told(rehearsal.links).flatMap(planted.found) == [], "\(rehearsal)")
                for step in rehearsal.steps {
                    for mark in planted.marks {
                        let echoes = spoken(mark, rehearsal, step) + written(mark, rehearsal, step)
                        #expect(leaks(rehearsal, step, echoes, planted) == [], "\(rehearsal): \(mark) in \(step)")
                    }
                }
                break
            }
        }
    }

    @Test(arguments: Catalogue.standard.names)
    func rehearsedRequestsShowNoSecret(_ name: String) {
        for shape in PlantedSecrets.Shape.allCases {
            let tests = Catalogue.standard[name]?["tests"]?.items ?? []
            for test in shape == .base64 ? tests[...] : tests.prefix(1) {
                var diagnostics: [Diagnostic] = []
                guard let planted = PlantedSecrets(test, of: name, shape),
                    let service = AdapterTestRunner(catalogue: .standard).service(name, planted.test, &diagnostics)
                else { continue }
                let context = AdapterTestRunner.context(test)
                for text in service.rehearse(context).flatMap(Self.texts) {
                    #expect(planted.found(in: service.redacted(text, context)) == [], "\(name)")
                }
            }
        }
    }

    /// Replies of a host that writes a secret in all ways, in words and in links.
    private func written(_ mark: String, _ rehearsal: Rehearsal, _ step: String) -> [HTTPReply] {
        let good = rehearsal.reply(to: step, visit: .max)
        return PlantedSecrets.forms(mark).flatMap { form in
            [HTTPReply(status: 401, headers: [], body: Array("The key \(form) is not known.".utf8), finalURL: "")]
                + (good.map { Self.linked($0, form, rehearsal.links).suffix(2) } ?? [])
        }
    }

    /// Replies of a host that says a secret back in every place, in the status of a failure and of a success.
    private func spoken(_ form: String, _ rehearsal: Rehearsal, _ step: String) -> [HTTPReply] {
        let words = "The key \(form) is not known."
        let json = JSONValue.object([
            .init("error", .object([.init("message", .string(words)), .init("code", .string(form))])),
            .init("message", .string(words)), .init("detail", .string(words)),
            .init("errors", .array([.object([.init("message", .string(words))])])),
        ])
        let xml =
            "<rsp status=\"fail\"><err code=\"1\" msg=\"\(TextCoding.xml(words))\"/><Message>\(TextCoding.xml(words))</Message></rsp>"
        let bodies = [
            words, form, json.serialized(), #"{"error":"\#(form)","message":"\#(form)"}"#, xml,
            "<html><body><p>\(form)</p></body></html>", "<html><body><p>\(TextCoding.xml(form))</p></body></html>",
        ]
        var replies = bodies.flatMap { body in
            [200, 401].map { HTTPReply(status: $0, headers: [], body: Array(body.utf8), finalURL: "") }
        }
        let place = HTTPField("Location", "https://\(form)/?key=\(form)")
        replies.append(HTTPReply(status: 302, headers: [place], body: [], finalURL: ""))
        if let good = rehearsal.reply(to: step, visit: .max) {
            replies += Self.linked(good, form, rehearsal.links)
        }
        return replies
    }

    /// The good reply with a secret at the end of its links and in place of its identifiers.
    private static func linked(_ reply: HTTPReply, _ form: String, _ links: DeliveryLinks) -> [HTTPReply] {
        let body = Words.replacing("\\/", with: "/", in: String(decoding: reply.body, as: UTF8.self))
        let isJSON = body.hasPrefix("{") || body.hasPrefix("[")
        let escaped =
            isJSON ? String(JSONValue.string(form).serialized().dropFirst().dropLast()) : TextCoding.xml(form)
        let values = [links.link, links.page, links.thumbnail, links.remoteID, links.deleteURL].compactMap { $0 }
        return values.flatMap { value in
            [value + "?key=" + escaped, escaped].map { text in
                var out = reply
                out.body = Array(Words.replacing(value, with: text, in: body).utf8)
                out.headers = reply.headers.map { HTTPField($0.name, Words.replacing(value, with: form, in: $0.value)) }
                return out
            }
        }
    }

    /// Everything that people see of a delivery in which one step says a secret back.
    private func leaks(
        _ rehearsal: Rehearsal,
        _ step: String,
        _ echoes: [HTTPReply],
        _ planted: PlantedSecrets
    ) -> [String] {
        var lines: [String] = []
        for echo in echoes {
            var host = ScriptedHost(rehearsal)
            let attempt = host.deliver { request, exchange, visit in
                guard exchange.step == step else { return rehearsal.answer(request, exchange, visit) }
                var reply = echo
                reply.finalURL = request.url
                return .success(reply)
            }
            let shown = (attempt.failure.map { [$0.message] } ?? []) + (attempt.links.map(told) ?? [])
            for text in shown where !planted.found(in: text).isEmpty {
                lines.append("HTTP \(echo.status) \(String(decoding: echo.body.prefix(200), as: UTF8.self)): \(text)")
            }
        }
        return lines
    }

    private func told(_ links: DeliveryLinks) -> [String] {
        [links.link, links.page, links.thumbnail, links.remoteID, links.deleteURL, links.expiresAt].compactMap { $0 }
            + links.more.map(\.value)
    }

    /// Everything of a rehearsed step that could be printed.
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

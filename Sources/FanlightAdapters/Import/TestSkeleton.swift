// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// A test for an imported adapter: the request that it makes, and a reply to be replaced by a real one.
struct TestSkeleton {
    let draft: AdapterDraft
    let catalogue: Catalogue

    /// Lines of `tests:`.
    ///
    /// - Throws: What the compiler finds in the adapter, or why it can make no request.
    func tests() throws(ImportError) -> [String] {
        let settings = draft.settings.filter(\.isRequired).map { setting in
            JSONValue.Member(setting.name, .string(setting.isSecret ? "test-\(setting.name)" : "test"))
        }
        var test: [JSONValue.Member] = [.init("name", "a picture, as imported; replace the reply by a real one")]
        if !settings.isEmpty { test.append(.init("service", .object(settings))) }
        let service = try compiled(settings)
        test.append(.init("request", .object(try request(service))))
        if let (reply, result) = reply(service) {
            test.append(.init("reply", .object(reply)))
            test.append(.init("result", .object(result)))
        }
        return YAMLText.lines([.init("tests", [.object(test)])])
    }

    private func compiled(_ settings: [JSONValue.Member]) throws(ImportError) -> CompiledService {
        let at = SourcePosition(file: draft.name + ".yaml", line: 1, column: 1)
        let entries = ([.init("adapter", .string(draft.name))] + settings).map { member in
            Node.Entry(
                key: member.name,
                position: at,
                value: Node(.scalar(member.value.shown ?? "", isPlain: false), at: at)
            )
        }
        var diagnostics: [Diagnostic] = []
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        let node = Node(.mapping(entries), at: at)
        guard let service = compiler.compile(name: draft.name, node: node, diagnostics: &diagnostics) else {
            throw ImportError(AdapterFile.words(diagnostics))
        }
        return service
    }

    private func request(_ service: CompiledService) throws(ImportError) -> [JSONValue.Member] {
        var run = DeliveryRun(service: service, context: AdapterTestRunner.sampleContext)
        switch run.handle(.start, now: AdapterTestRunner.sampleTime) {
        case .send(let request, _): return TestComparison.description(of: request)
        case .finished(.failure(let failure)): throw ImportError("it can make no request: \(failure.message)")
        default: throw ImportError("it makes no request")
        }
    }

    /// A reply in which the link stands where the adapter looks for it, and what is read from it.
    private func reply(_ service: CompiledService) -> (reply: [JSONValue.Member], result: [JSONValue.Member])? {
        guard let reply = SampleReply.of(draft) else { return nil }
        var run = DeliveryRun(service: service, context: AdapterTestRunner.sampleContext)
        guard case .send(let request, _) = run.handle(.start, now: AdapterTestRunner.sampleTime) else { return nil }
        let answer = HTTPReply(
            status: 200,
            headers: reply.headers,
            body: Array(reply.body.utf8),
            finalURL: request.url
        )
        guard case .finished(.success(let links)) = run.handle(.reply(answer), now: AdapterTestRunner.sampleTime) else {
            return nil
        }
        var members: [JSONValue.Member] = []
        if !reply.headers.isEmpty {
            members.append(.init("headers", .object(reply.headers.map { .init($0.name, .string($0.value)) })))
        }
        if !reply.body.isEmpty { members.append(.init("body", .string(reply.body))) }
        return (members, TestComparison.description(of: links))
    }
}

/// A made-up reply that holds what an adapter's extractors look for; `nil` where that takes more than a guess.
private enum SampleReply {
    static func of(_ draft: AdapterDraft) -> (headers: [HTTPField], body: String)? {
        let places =
            (draft.reply.filter { ["link", "thumbnail", "delete_url"].contains($0.name) }.map(\.value)
            + draft.saved.map(\.value)).map { $0.array?.first?.string ?? $0.string ?? "" }
        let names = draft.reply.first { $0.name == "link" }.map { $0.value.string ?? "" } ?? ""
        var headers: [HTTPField] = []
        var json: JSONValue?
        var text = ""
        for (index, place) in places.enumerated() where !place.contains("${") {
            let value = names.contains("${") ? "value\(index)" : "https://img.example.org/\(index)"
            if place.hasPrefix("$") {
                guard let steps = steps(place) else { return nil }
                json = put(.string(value), at: steps[...], into: json)
            } else if place == "text" {
                text = value
            } else if place.hasPrefix("header ") {
                let name = String(place.dropFirst(7))
                if !headers.contains(where: { $0.name == name }) { headers.append(HTTPField(name, value)) }
            } else {
                return nil
            }
        }
        return (headers, json?.serialized() ?? text)
    }

    private enum Step {
        case name(String)
        case first
    }

    /// Names and first items; `nil` for every other path.
    private static func steps(_ path: String) -> [Step]? {
        var steps: [Step] = []
        var rest = path.dropFirst()
        while !rest.isEmpty {
            if rest.hasPrefix("[0]") {
                steps.append(.first)
                rest = rest.dropFirst(3)
            } else if rest.first == "." {
                let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
                steps.append(.name(String(name)))
                rest = rest.dropFirst(name.count + 1)
            } else {
                return nil
            }
        }
        return steps
    }

    private static func put(_ value: JSONValue, at steps: ArraySlice<Step>, into base: JSONValue?) -> JSONValue {
        guard let step = steps.first else { return value }
        switch step {
        case .first: return [put(value, at: steps.dropFirst(), into: base?.array?.first)]
        case .name(let name):
            var members = base?.object ?? []
            let inner = put(value, at: steps.dropFirst(), into: base?[name])
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = inner
            } else {
                members.append(.init(name, inner))
            }
            return .object(members)
        }
    }
}

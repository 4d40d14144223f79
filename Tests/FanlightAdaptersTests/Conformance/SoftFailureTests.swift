// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@testable import FanlightAdapters

/// Failures that a service tells in a reply with the status of a success, as the entries' own tests have them.
@Suite struct SoftFailureTests {
    @Test(arguments: Catalogue.standard.names)
    func aSoftFailureIsAFailure(_ name: String) throws {
        for test in (Catalogue.standard[name]?["tests"]?.items ?? []) where Self.isSoft(test) {
            let word = try #require(test["error"]?["kind"]?.text)
            let title = test["name"]?.text ?? ""
            let failure = try #require(Self.failure(name, test), "\(name), \(title)")
            #expect(failure.kind.rawValue == word, "\(name), \(title)")
            // What was refused in words is refused for good, unless it was about the pace.
            let isPace = failure.kind == .rateLimited || test["error"]?["retry"] != nil
            #expect(isPace || failure.retry == .never, "\(name), \(title)")
            #expect(!failure.message.isEmpty, "\(name), \(title)")
        }
    }

    /// True where the last reply of a failing test has a status of success.
    private static func isSoft(_ test: Node) -> Bool {
        guard test["error"] != nil else { return false }
        let reply = test["exchanges"]?.items.last?["reply"] ?? test["reply"]
        guard let reply, reply["fails"] == nil else { return false }
        return (200..<300).contains(reply["status"]?.text.flatMap { Int($0) } ?? 200)
    }

    private static func failure(_ name: String, _ test: Node) -> DeliveryFailure? {
        var diagnostics: [Diagnostic] = []
        guard let service = AdapterTestRunner(catalogue: .standard).service(name, test, &diagnostics) else {
            return nil
        }
        let replies = Rehearsal.replies(test)
        var host = ScriptedHost(
            service: service,
            context: AdapterTestRunner.context(test),
            session: Rehearsal.session(test)
        )
        var count = 0
        let attempt = host.deliver { request, _, _ in
            count += 1
            guard count <= replies.count else {
                return .failure(TransportError(.stopped, message: "", requestFullySent: false))
            }
            var reply = replies[count - 1]
            reply.finalURL = request.url
            return .success(reply)
        }
        return attempt.failure
    }
}

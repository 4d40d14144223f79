// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// The same faults while a delivered picture is deleted: a repeated deletion does no harm.
@Suite struct DeletionFaultTests {
    @Test(arguments: Catalogue.standard.names)
    func faultsOfADeletionEndAsTheTableSays(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) where rehearsal.links.deletable {
            for fault in Fault.silent + Fault.refusing + Fault.redirecting {
                #expect(trial(rehearsal, fault) == [], "\(rehearsal): \(fault)")
            }
        }
    }

    @Test(arguments: Catalogue.standard.names)
    func whatIsGoneIsDeleted(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) where rehearsal.links.deletable {
            for status in [404, 410] {
                let attempt = attempt(rehearsal, Fault("gone", .reply(status), .rejected, .never, .never))
                #expect(attempt?.links != nil, "\(rehearsal): \(status)")
            }
        }
    }

    private func attempt(_ rehearsal: Rehearsal, _ fault: Fault) -> ScriptedHost.Attempt? {
        var host = ScriptedHost(rehearsal)
        return host.delete(rehearsal.links) { request, exchange, visit in
            exchange.step == "delete" ? fault.reply(to: request) : rehearsal.answer(request, exchange, visit)
        }
    }

    private func trial(_ rehearsal: Rehearsal, _ fault: Fault) -> [String] {
        guard let attempt = attempt(rehearsal, fault), let program = rehearsal.service.delete else {
            return ["deletable, and nothing that deletes"]
        }
        guard let failure = attempt.failure else { return ["deleted in spite of it"] }
        let declared = fault.status.flatMap { program.reply.error.kinds[String($0)] }
        let kind = declared ?? fault.kind
        var retry = fault.repeatable
        if declared == .rateLimited, retry == .never { retry = .retry }
        var lines = failure.kind == kind ? [] : ["kind \(failure.kind), not \(kind)"]
        if failure.retry != retry { lines.append("retry class \(failure.retry), not \(retry)") }
        return lines
    }
}

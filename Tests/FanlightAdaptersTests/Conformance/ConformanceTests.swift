// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@testable import FanlightAdapters

/// One battery over every entry of the catalogue: each fault, in each step, ends in the kind and with the retry class
/// that follow from what happened and from what the entry declares.
@Suite struct ConformanceTests {
    @Test(arguments: Catalogue.standard.names)
    func everyStepIsRehearsed(_ name: String) throws {
        let rehearsals = Rehearsal.all(of: name)
        // What stays in a folder of the gateway has no host that could fail.
        if rehearsals.isEmpty, Catalogue.standard[name]?["store"] != nil { return }
        #expect(!rehearsals.isEmpty, "no test of \(name) ends in a success")
        let visited = Set(rehearsals.flatMap(\.steps))
        let all = rehearsals.first.map {
            $0.service.stepNames + ($0.service.session?.steps ?? []).map { "login." + $0.id }
        }
        for step in all ?? [] where !isGiven(step, rehearsals) {
            #expect(visited.contains(step), "no test of \(name) that succeeds visits \(step)")
        }
    }

    /// A login is not played where the tests give the session.
    private func isGiven(_ step: String, _ rehearsals: [Rehearsal]) -> Bool {
        step.hasPrefix("login.") && rehearsals.allSatisfy { $0.session != nil }
    }

    @Test(arguments: Catalogue.standard.names)
    func faultsEndAsTheTableSays(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) {
            for step in rehearsal.steps {
                for fault in Fault.silent + Fault.refusing + Fault.redirecting {
                    let trial = FaultTrial(rehearsal, step, fault)
                    #expect(trial.failures == [], "\(rehearsal): \(fault) in \(step)")
                }
            }
        }
    }

    @Test(arguments: Catalogue.standard.names)
    func aHollowReplyIsNoSuccess(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) {
            for step in rehearsal.steps {
                for fault in Fault.hollow + rehearsal.truncations(of: step) {
                    let trial = HollowTrial(rehearsal, step, fault)
                    #expect(trial.failures == [], "\(rehearsal): \(fault) in \(step)")
                }
            }
        }
    }
}

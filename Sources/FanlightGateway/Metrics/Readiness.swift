// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Whether the gateway takes uploads, and why not.
struct Readiness: Sendable, Equatable {
    /// One thing that stands in the way.
    struct Obstacle: Sendable, Equatable {
        /// Bounded name: `starting`, `stopping`, `state`, `journal`, `helpers`, `disk`.
        var name: String
        /// What is wrong, and what helps.
        var detail: String
    }

    /// Everything in the way; empty = ready.
    var obstacles: [Obstacle] = []

    var isReady: Bool { obstacles.isEmpty }

    /// Ready.
    init() {}

    /// Not ready because the gateway starts or stops; `nil` = it does neither.
    init?(starting gateway: Gateway) {
        if gateway.registry.isClosed {
            obstacles = [Obstacle(name: "stopping", detail: "The gateway is about to stop.")]
        } else if !gateway.isReady {
            obstacles = [
                Obstacle(name: "starting", detail: "The gateway is reading its journal; it will be ready in a moment.")
            ]
        } else {
            return nil
        }
    }

    /// Looks at the state folder, the journal, the disk and the helpers.
    static func check(_ gateway: Gateway, _ sources: Observatory.Sources) async -> Readiness {
        var readiness = Readiness()
        if let trouble = await gateway.engine.pool.run({ sources.stateTrouble() }) {
            readiness.obstacles.append(Obstacle(name: "state", detail: trouble.advice))
        } else if let detail = await journalTrouble(gateway) {
            readiness.obstacles.append(Obstacle(name: "journal", detail: detail))
        }
        let (canPrepare, free) = await gateway.engine.pool.run {
            (sources.canPrepare(), ProcessFacts.freeBytes(sources.stateFolder))
        }
        if !canPrepare {
            let detail =
                "No imaging helper can be started: fanlight-imaging must lie beside fanlight and run; "
                + "started by hand it says what it lacks."
            readiness.obstacles.append(Obstacle(name: "helpers", detail: detail))
        }
        if let free, free < sources.minFree {
            let detail = "\(free) bytes are left for the state folder; server.min_free is \(sources.minFree)."
            readiness.obstacles.append(Obstacle(name: "disk", detail: detail))
        }
        return readiness
    }

    private static func journalTrouble(_ gateway: Gateway) async -> String? {
        do throws(JournalError) {
            // Changes nothing, but needs the lock of a writer.
            try await gateway.engine.journal.remove([])
            let owed = try await gateway.engine.journal.counters().owed
            return owed == 0 ? nil : "\(owed) outcomes could not be written yet."
        } catch {
            return "The journal cannot be written. \(error.advice)"
        }
    }

    /// The answer of `/readyz`.
    var answer: HTTPAnswer {
        guard !isReady else { return Answer.json(200, .object([.init("status", "ok")])) }
        var problem = Problem(.notReady, obstacles.map(\.detail).joined(separator: " "))
        problem.reasons = obstacles.map { .init(code: $0.name, detail: $0.detail) }
        return problem.answer
    }
}

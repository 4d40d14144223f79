// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension DeliveryRun {
    /// True when the service may have the picture although no success was seen: a request that publishes was complete and
    /// its outcome was not seen, or all of them are done and the run still asks what came of it.
    public var mayHaveArrived: Bool { !isDeletion && (state.mayHaveArrived || isOnlyAsking) }

    /// True where a step's request may give the service the picture, or make public what it has.
    ///
    /// What only asks does not. Of the others those do that carry the picture, and those after which no other is sure to
    /// follow; a ticket that is fetched before the picture goes does not.
    func mayPublish(_ index: Int) -> Bool {
        guard !isDeletion, steps.indices.contains(index), !onlyAsks(steps[index]) else { return false }
        return steps[index].request.body.sendsPicture || (!steps[index].isOptional && !isFollowed(index))
    }

    /// True at a step that only asks, when everything that publishes is done.
    var isOnlyAsking: Bool {
        guard !isDeletion, steps.indices.contains(state.index), onlyAsks(steps[state.index]) else { return false }
        return !isFollowed(state.index) && steps[..<state.index].indices.contains(where: mayPublish)
    }

    /// True where a step only asks; where no step does more than GET, a GET must be what publishes.
    private func onlyAsks(_ step: StepProgram) -> Bool {
        step.isQuestion && (step.poll != nil || steps.contains { !$0.isQuestion })
    }

    /// True where a later step is sure to do more than ask.
    private func isFollowed(_ index: Int) -> Bool {
        steps[(index + 1)...].contains { !onlyAsks($0) && !$0.isOptional && $0.when == nil }
    }

    /// Notes the doubt that a reply leaves which is no success.
    ///
    /// A complete reply decides, unless it comes from somebody on the way who lost the service's own. While the run only
    /// asks, one that is no success of its own says nothing of the picture.
    mutating func noteDoubt(after reply: HTTPReply) {
        let isLost = isLost(reply)
        let saysNothing = isOnlyAsking && !(200..<300).contains(reply.status)
        if isLost || saysNothing { state.mayHaveArrived = true }
    }

    /// Says whether a reply that asks for a new session may have it, as the request goes out again then; notes the doubt
    /// that it leaves.
    mutating func mayRenew(_ step: StepProgram, _ document: ReplyDocument) -> Bool {
        guard document.reply.requestFullySent, document.reply.hidesOutcome else { return true }
        if isLost(document.reply) { state.mayHaveArrived = true }
        return step.isRepeatable(after: document, in: scope)
    }

    /// True for a reply that hides whether the service has the picture.
    private func isLost(_ reply: HTTPReply) -> Bool {
        reply.requestFullySent && reply.hidesOutcome && mayPublish(state.index)
    }
}

extension HTTPReply {
    /// True for a status of a proxy that got no answer from the service behind it.
    var hidesOutcome: Bool { [502, 504].contains(status) || (520...524).contains(status) }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore

@testable import FanlightAdapters

/// One attempt in which one step meets one fault, however often it asks.
struct FaultTrial {
    let rehearsal: Rehearsal
    let step: String
    let fault: Fault
    let attempt: ScriptedHost.Attempt

    /// - Parameter answer: What came in truth; `nil` = what the fault says.
    init(
        _ rehearsal: Rehearsal,
        _ step: String,
        _ fault: Fault,
        answer: Result<HTTPReply, TransportError>? = nil
    ) {
        self.rehearsal = rehearsal
        self.step = step
        self.fault = fault
        var host = ScriptedHost(rehearsal)
        attempt = host.deliver { request, exchange, visit in
            if exchange.step == step { return answer ?? fault.reply(to: request) }
            return rehearsal.answer(request, exchange, visit)
        }
    }

    /// One line a difference from the table.
    var failures: [String] {
        guard let program = rehearsal.program(of: step) else { return ["there is no step \(step)"] }
        guard let result = attempt.result else { return ["the attempt does not end"] }
        switch result {
        case .success:
            return program.isOptional ? [] : ["delivered in spite of it"]
        case .failure(let failure):
            // A step that may fail leaves out only what it would have given.
            if program.isOptional { return failure.kind == .badReply && failure.retry == .never ? [] : ["\(failure)"] }
            return kind(program, failure) + retry(program, failure) + status(failure) + doubt(program, failure)
        }
    }

    private var isLogin: Bool { step.hasPrefix("login.") }
    private var visits: [ScriptedHost.Sent] { attempt.sent.filter { $0.exchange.step == step } }

    private func kind(_ program: StepProgram, _ failure: DeliveryFailure) -> [String] {
        let expected = fault.status.flatMap { program.reply.error.kinds[String($0)] } ?? fault.kind
        return failure.kind == expected ? [] : ["kind \(failure.kind), not \(expected)"]
    }

    private func retry(_ program: StepProgram, _ failure: DeliveryFailure) -> [String] {
        let isRepeatable = isLogin || visits.first?.exchange.isIdempotent ?? false
        var expected = isRepeatable ? fault.repeatable : fault.once
        let declared = fault.status.flatMap { program.reply.error.kinds[String($0)] }
        if declared == .rateLimited, expected == .never { expected = .retry }
        // Who declares that it goes on by itself may be tried again later, too.
        let goesOn = visits.count > 1 && (program.restart != nil || program.retryWhen != nil)
        if goesOn, expected == .never || program.restart != nil, !expected.isTimed { expected = .retry }
        return failure.retry == expected ? [] : ["retry class \(failure.retry), not \(expected)"]
    }

    /// A request that carries the picture leaves the same doubt, whether it may be repeated or not.
    private func doubt(_ program: StepProgram, _ failure: DeliveryFailure) -> [String] {
        let expected: Bool
        if isLogin {
            expected = false
        } else if program.request.body.sendsPicture {
            expected = fault.once == .unknownOutcome
        } else {
            return failure.retry == .unknownOutcome && !failure.mayHaveArrived ? ["unknown without a doubt"] : []
        }
        return failure.mayHaveArrived == expected ? [] : ["may have arrived: \(failure.mayHaveArrived)"]
    }

    private func status(_ failure: DeliveryFailure) -> [String] {
        failure.httpStatus == fault.status ? [] : ["status \(failure.httpStatus ?? 0) in the failure"]
    }
}

/// One attempt in which the reply to one step says nothing although its status is that of a success.
struct HollowTrial {
    let rehearsal: Rehearsal
    let step: String
    let attempt: ScriptedHost.Attempt
    /// True for a reply that may lack nothing but its last signs.
    let isTruncated: Bool

    init(_ rehearsal: Rehearsal, _ step: String, _ fault: Fault) {
        self.rehearsal = rehearsal
        self.step = step
        isTruncated = fault.isTruncation
        attempt = FaultTrial(rehearsal, step, fault).attempt
    }

    /// One line a difference from the rules.
    var failures: [String] {
        guard let program = rehearsal.program(of: step) else { return ["there is no step \(step)"] }
        guard let result = attempt.result else { return ["the attempt does not end"] }
        switch result {
        case .success(let links):
            if program.isOptional { return [] }
            // Only a step of whose reply nothing is read may be content with any.
            let isReader = !program.reply.save.isEmpty && !isTruncated
            return isReader || told(links) != told(rehearsal.links) ? ["delivered in spite of it: \(told(links))"] : []
        case .failure(let failure):
            var lines: [String] = []
            let kinds: [ErrorKind] =
                step.hasPrefix("login.") ? [.auth] : program.poll == nil ? [.badReply] : [.badReply, .timeout]
            if !kinds.contains(failure.kind) { lines.append("kind \(failure.kind): \(failure.message)") }
            if failure.retry != .never, failure.kind != .timeout { lines.append("retry class \(failure.retry)") }
            if let last = attempt.sent.last, last.exchange.step != step, !program.isOptional {
                lines.append("the step \(last.exchange.step) followed")
            }
            return lines
        }
    }

    private func told(_ links: DeliveryLinks) -> [String?] {
        [links.link, links.page, links.thumbnail, links.remoteID, links.deleteURL] + links.more.map(\.value)
    }
}

extension Rehearsal {
    /// What the host answers where nothing goes wrong.
    func answer(_ request: HTTPRequest, _ exchange: Exchange, _ visit: Int) -> Result<HTTPReply, TransportError> {
        guard var reply = reply(to: exchange.step, visit: visit) else {
            return .failure(TransportError(.stopped, message: "no reply to \(exchange.step)", requestFullySent: true))
        }
        reply.finalURL = request.url
        return .success(reply)
    }

    /// The reply to a step without its end, where its language has one.
    func truncations(of step: String) -> [Fault] {
        guard let reply = reply(to: step, visit: .max), let first = reply.body.first,
            [0x7B, 0x5B, 0x3C].contains(first)
        else { return [] }
        let eighths = (1...8).map { reply.body.count * $0 / 8 }
        return Set([1, reply.body.count - 1] + eighths).subtracting([0, reply.body.count]).sorted().map { count in
            let body = String(decoding: reply.body.prefix(count), as: UTF8.self)
            let answer = Fault.Answer.reply(reply.status, reply.headers, body: body)
            var fault = Fault("first \(count) bytes of the reply", answer, .badReply, .never, .never)
            fault.isTruncation = true
            return fault
        }
    }
}

extension RetryClass {
    fileprivate var isTimed: Bool {
        if case .retryAfter = self { return true }
        return false
    }
}

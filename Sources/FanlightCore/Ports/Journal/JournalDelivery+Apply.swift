// SPDX-License-Identifier: Apache-2.0

extension JournalDelivery {
    /// Applies a change; what every journal does with it.
    public mutating func apply(_ change: JournalChange) {
        switch change {
        case .attempting(let attempt, let time):
            begin(.attempting, attempt, time)
        case .releasing(let attempt, let time):
            begin(.releasing, attempt, time)
        case .doubting(let attempt, let time):
            begin(.attempting, attempt, time)
            isInDoubt = true
        case .progress(let progress, let isInDoubt):
            phase = .waiting
            self.isInDoubt = isInDoubt
            if let progress { self.progress = progress }
        case .backingOff(let until, let attempts, let failure):
            phase = .waiting
            notBefore = until
            self.attempts = attempts
            self.failure = failure
            isInDoubt = failure.mayHaveArrived
        case .settled(let outcome):
            settle(outcome)
        case .reopened:
            isInDoubt = status == .unknown
            status = .pending
            phase = .waiting
            attempts = 0
            firstAttemptAt = nil
            notBefore = nil
            progress = nil
            failure = nil
            settledAt = nil
        case .deletion(let deletion):
            self.deletion = deletion
            if deletion.state.endsDelivery { status = .deleted }
        }
    }

    private mutating func begin(_ phase: Phase, _ attempt: Int, _ time: Int64) {
        self.phase = phase
        attempts = attempt
        firstAttemptAt = firstAttemptAt ?? time
        notBefore = nil
    }

    private mutating func settle(_ outcome: JournalOutcome) {
        status = outcome.status
        phase = .waiting
        isInDoubt = false
        links = outcome.links
        failure = outcome.failure
        attempts = outcome.attempts
        durationMilliseconds = outcome.durationMilliseconds
        settledAt = outcome.at
        eventNumber = outcome.eventNumber
        notBefore = nil
        progress = nil
    }

    /// True while it is pending and the service may have the picture already.
    public var mayHaveArrived: Bool { isInDoubt || phase == .releasing }

    /// True while the picture may still be wanted.
    public var needsPicture: Bool { status.needsPicture }
}

extension DeliveryStatus {
    /// True while the picture may still be wanted: it is to be sent, or a retry may come.
    ///
    /// A delivery that its route did not need keeps no picture.
    public var needsPicture: Bool {
        switch self {
        case .pending, .failed, .unknown: true
        case .delivered, .skipped, .deleted: false
        }
    }
}

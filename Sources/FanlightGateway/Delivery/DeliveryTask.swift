// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// Brings one delivery to its outcome: drives the state machine with the service's gate, the courier and the journal.
///
/// Hundreds may wait for their turn, so little memory is held meanwhile: this is an object, and what works after the wait
/// has frames of its own instead of being inlined.
final class DeliveryTask: Sendable {
    let engine: Engine
    let live: LiveUpload
    let index: Int
    let service: CompiledService
    /// True where another service stands in for this one.
    let failsFast: Bool

    init(engine: Engine, live: LiveUpload, index: Int, service: CompiledService, failsFast: Bool) {
        self.engine = engine
        self.live = live
        self.index = index
        self.service = service
        self.failsFast = failsFast
    }

    private var rules: DeliveryRules { DeliveryRules(attempts: service.attempts, deadline: service.deadline) }

    /// Sends the picture: works until there is an outcome.
    ///
    /// - Parameter start: When the gateway took the delivery up; its deadline counts from then.
    /// - Returns: The outcome's state; `nil` when the gateway stops first, and the journal keeps the rest.
    @inline(never)
    func send(since start: Timestamp) async -> DeliveryStatus? {
        let course = DeliveryCourse(rules, past: past(live.record.deliveries[index]), at: start)
        while true {
            switch course.step {
            case .stop: return nil
            case .settle: return await settle(course, since: start)
            case .queue(let until):
                guard await queue(course, until) else { return nil }
            case .attempt(let number, let until):
                guard await attempt(number, until, course) else { return nil }
            case .wait(let until):
                // What waits holds no picture open; the record knows how far the run came.
                course.run = nil
                await engine.clock.sleep(until)
                if Task.isCancelled { return nil }
                course.take(.due, now: engine.clock.now())
            }
        }
    }

    @inline(never)
    private func settle(_ course: DeliveryCourse, since start: Timestamp) async -> DeliveryStatus? {
        guard let outcome = course.outcome else { return nil }
        return await settle(outcome, since: start)
    }

    /// Waits for its place; false when the gateway stops.
    @inline(never)
    private func queue(_ course: DeliveryCourse, _ until: Timestamp) async -> Bool {
        let entry = await gate?.enter(
            group: live.group,
            until: until,
            failsFast: failsFast,
            isRepeat: course.attempts > 0
        )
        switch entry ?? .granted {
        case .stopped: return false
        case .refused(let failure): course.take(.refused(failure), now: engine.clock.now())
        case .granted:
            course.take(.granted, now: engine.clock.now())
            // Without an attempt the place is free again.
            if case .attempt = course.step {} else { gate?.leave(.none) }
        }
        return true
    }

    private var gate: ServiceGate? { engine.gates[service.name] }

    private var chance: Double { Double(engine.identity.random() >> 11) / Double(1 << 53) }

    /// What an earlier run left; a service that takes a repetition is asked again.
    func past(_ delivery: JournalDelivery) -> DeliveryMachine.Past {
        DeliveryMachine.Past(
            attempts: delivery.attempts,
            mayHaveArrived: delivery.phase == .releasing && !service.isIdempotent,
            // What a folder of the gateway takes needs no note before it does.
            isInDoubt: delivery.mayHaveArrived || (service.isLocal && delivery.phase != .waiting),
            notBefore: delivery.notBefore.map { Timestamp(milliseconds: $0) }
        )
    }

    // MARK: One attempt

    /// One attempt, told to the course; false when the gateway stops.
    @inline(never)
    private func attempt(_ number: Int, _ until: Timestamp, _ course: DeliveryCourse) async -> Bool {
        let begin = engine.clock.now()
        let end = await courierEnd(number, until, course)
        guard case .finished(let result) = end else {
            gate?.leave(.none)
            return false
        }
        var kind: ErrorKind?
        if case .failure(let failure) = result { kind = failure.kind }
        gate?.leave(Self.sign(result))
        engine.events.tell(.attempt(service: service.name, kind: kind, duration: engine.clock.now() - begin))
        let event: DeliveryMachine.Event =
            switch result {
            case .success(let links): .delivered(links)
            case .failure(let failure): .failed(failure)
            }
        course.take(event, now: engine.clock.now(), chance: chance)
        if case .wait(let until) = course.step, case .failure(var failure) = result {
            // Also the doubt of an attempt before, which a restart must know.
            failure.mayHaveArrived = course.isInDoubt
            note(.backingOff(until: until.milliseconds, attempts: number, failure))
        }
        return true
    }

    private func courierEnd(_ number: Int, _ until: Timestamp, _ course: DeliveryCourse) async -> Courier.End {
        let isFirst = course.run == nil
        let found: Courier?
        do throws(DescriptorShortage) {
            found = try courier(number, until, course)
        } catch {
            return .finished(.failure(Self.noDescriptor))
        }
        guard let courier = found, var run = course.run else { return .finished(.failure(Self.pictureGone)) }
        let end = await courier.attempt(&run, isFirst ? .start : .again)
        if let quiet = run.quiet { gate?.hold(for: min(quiet, ReplyPacing.longest)) }
        course.run = run
        return end
    }

    /// Who carries the attempt, its run in the course; `nil` when the picture is gone.
    @inline(never)
    private func courier(
        _ number: Int,
        _ until: Timestamp,
        _ course: DeliveryCourse
    ) throws(DescriptorShortage) -> Courier? {
        let record = live.record
        let delivery = record.deliveries[index]
        guard let place = delivery.rendition, record.renditions.indices.contains(place),
            let file = try engine.shelf.open(record.renditions[place])
        else { return nil }
        if course.run == nil {
            course.run = DeliveryRun(
                service: service,
                context: context(record, delivery, record.renditions[place], file),
                resuming: delivery.progress
            )
        }
        return Courier(
            engine: engine,
            service: service,
            picture: file,
            notes: notes(number, isInDoubt: course.isInDoubt),
            until: until,
            trace: live.origin.trace
        )
    }

    /// - Parameter isInDoubt: True when the picture may have arrived before this attempt.
    private func notes(_ number: Int, isInDoubt: Bool) -> Courier.Notes {
        Courier.Notes(
            attempting: { [self] in
                note(.attempting(attempt: number, at: engine.now))
            },
            releasing: { [self] in await isNoted(.releasing(attempt: number, at: engine.now)) },
            doubting: { [self] in await isNoted(.doubting(attempt: number, at: engine.now)) },
            counting: gate?.counting(in: engine),
            progress: { [self] progress, mayHaveArrived in
                note(.progress(progress == .null ? nil : progress, isInDoubt: isInDoubt || mayHaveArrived))
            }
        )
    }

    /// Notes what must be on disk before the end of a request leaves; false = it is not.
    private func isNoted(_ change: JournalChange) async -> Bool {
        // Before the note in the same queue: when that is on disk, the count is, too.
        gate?.keepCounts()
        do throws(JournalError) {
            try await engine.journal.record([JournalNote(upload: live.id, delivery: index, change)])
        } catch {
            engine.events.tell(.journalFailed(error))
            return false
        }
        live.apply(index, change)
        return true
    }

    /// Notes something that nobody has to wait for.
    private func note(_ change: JournalChange) {
        engine.journal.post(JournalNote(upload: live.id, delivery: index, change))
        live.apply(index, change)
    }

    private func context(
        _ record: JournalUpload,
        _ delivery: JournalDelivery,
        _ rendition: JournalRendition,
        _ file: SpooledFile
    ) -> DeliveryContext {
        DeliveryContext(
            caption: record.caption,
            geotag: live.place(as: engine.settings.geotag),
            takenAt: record.image.takenAt,
            rendition: Rendition(
                file: file,
                mediaType: rendition.mediaType,
                width: rendition.width,
                height: rendition.height,
                lane: rendition.lane
            ),
            options: delivery.options,
            uploadID: record.id,
            idempotencyKey: record.id + "." + service.name,
            uuid: engine.identity.uploadID(),
            now: Int(engine.now / 1_000),
            publicURL: engine.settings.publicURL
        )
    }

    // MARK: The outcome

    /// Records the outcome and shows it.
    func settle(_ outcome: DeliveryOutcome, since start: Timestamp) async -> DeliveryStatus {
        await live.settle(index, outcome, duration: engine.clock.now() - start, engine)
        return outcome.status
    }

    /// What an attempt says of the service itself.
    static func sign(_ result: Result<DeliveryLinks, DeliveryFailure>) -> CircuitBreaker.Sign {
        guard case .failure(let failure) = result else { return .alive }
        switch failure.kind {
        case .network, .timeout, .unavailable: return .dead
        case .interrupted: return .none
        default: return .alive
        }
    }

    private static let noDescriptor = DeliveryFailure(
        kind: .interrupted,
        message: "The gateway may open no further file at present. Raise its limit of open files.",
        retry: .retry
    )
    private static let pictureGone = DeliveryFailure(
        kind: .interrupted,
        message: "The prepared picture is no longer in the spool. Upload it again.",
        retry: .never
    )
}

extension LiveUpload {
    /// Records an outcome, then shows it; the journal owes it where the disk refuses, and it is shown nevertheless.
    func settle(_ index: Int, _ outcome: DeliveryOutcome, duration: Duration, _ engine: Engine) async {
        let claim = claim(
            index,
            JournalOutcome(
                status: outcome.status,
                links: outcome.links,
                failure: outcome.failure,
                attempts: outcome.attempts,
                durationMilliseconds: Int(clamping: duration.roundedUpMilliseconds),
                at: engine.now,
                eventNumber: 0
            )
        )
        var notes = [JournalNote(upload: id, delivery: index, .settled(claim.outcome))]
        if claim.isLast, engine.settings.notify != nil {
            notes.append(JournalNote(upload: id, .notification(JournalNotification(dueAt: engine.now))))
        }
        do throws(JournalError) {
            try await engine.journal.record(notes)
        } catch {
            engine.events.tell(.journalFailed(error))
        }
        publish(index, claim.outcome)
        let delivery = record.deliveries[index]
        engine.events.tell(
            .delivery(
                service: delivery.service,
                role: delivery.role,
                status: outcome.status,
                kind: outcome.failure?.kind,
                attempts: outcome.attempts,
                duration: duration
            )
        )
    }
}

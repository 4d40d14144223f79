// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
public import FanlightCore
import Synchronization

/// The webhook: where finished uploads are told.
public struct NotifySettings: Sendable, Equatable {
    /// http or https URL that takes a POST.
    public var url: String
    /// Signs the calls.
    public var secret: Secret
    /// Calls in all before one is given up.
    public var attempts = 12
    /// Time limits of one call.
    public var timeouts = Timeouts(connect: .seconds(10), stall: .seconds(10), total: .seconds(20))

    /// Creates settings.
    public init(url: String, secret: Secret) {
        self.url = url
        self.secret = secret
    }
}

/// Tells the webhook about finished uploads; what is owed stands in the journal and survives a restart.
final class Notifier: Sendable {
    private let engine: Engine
    private let settings: NotifySettings
    private let alarm = Mutex<CheckedContinuation<Void, Never>?>(nil)
    private let isAwake = Mutex(false)

    /// Longest time without a look into the journal.
    private static let pause = Duration.seconds(30)

    init(engine: Engine, settings: NotifySettings) {
        self.engine = engine
        self.settings = settings
    }

    /// Makes the loop look into the journal now.
    func wake() {
        isAwake.withLock { $0 = true }
        alarm.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume()
    }

    /// Calls what is due until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            isAwake.withLock { $0 = false }
            let due = (try? await engine.journal.dueNotifications(now: engine.now, limit: 16)) ?? []
            var isRecorded = true
            for record in due where record.isComplete {
                if Task.isCancelled { return }
                isRecorded = await call(record) && isRecorded
            }
            if isRecorded, due.contains(where: \.isComplete) { continue }
            // A journal that takes nothing keeps the state in memory, and gives the call when it is due again.
            let later = engine.clock.now() + Self.pause
            await rest(until: isRecorded ? await nextDue(before: later) : later)
        }
    }

    /// When a call is due that is not due yet; at the latest when to look again.
    private func nextDue(before latest: Timestamp) async -> Timestamp {
        let now = engine.now
        let soon = (try? await engine.journal.dueNotifications(now: latest.milliseconds, limit: 16)) ?? []
        let times = soon.filter(\.isComplete).compactMap { $0.notification?.dueAt }.filter { $0 > now }
        return times.min().map { Timestamp(milliseconds: $0) } ?? latest
    }

    private func rest(until: Timestamp) async {
        let timer = Task {
            await engine.clock.sleep(until)
            // A pause that was cut short must not cut the next one short.
            if !Task.isCancelled { wake() }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = alarm.withLock { waiting in
                    if isAwake.withLock({ $0 }) || Task.isCancelled { return true }
                    waiting = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        timer.cancel()
    }

    /// - Returns: False when the journal could not take what became of it.
    private func call(_ record: JournalUpload) async -> Bool {
        let made = (record.notification?.attempts ?? 0) + 1
        let failure = await post(record, attempt: made)
        let isTaken = failure == nil
        if Task.isCancelled, !isTaken { return true }
        var state = JournalNotification(attempts: made, dueAt: nil, isDone: true)
        if !isTaken, made < settings.attempts {
            let rules = DeliveryRules(base: .seconds(5), longest: .seconds(3_600))
            let wait = rules.wait(after: .retry, made: made, chance: 1) ?? .zero
            state = JournalNotification(attempts: made, dueAt: (engine.clock.now() + wait).milliseconds, isDone: false)
        }
        engine.events.tell(.webhook(isTaken ? .delivered : state.isDone ? .givenUp : .failed))
        engine.log.notified(record.id, failure, state, at: engine.identity.timestamp())
        do throws(JournalError) {
            try await engine.journal.record([JournalNote(upload: record.id, .notification(state))])
            return true
        } catch {
            engine.events.tell(.journalFailed(error))
            return false
        }
    }

    /// - Returns: Why the call was not taken; `nil` = it was.
    private func post(_ record: JournalUpload, attempt: Int) async -> WebhookFailure? {
        // The time of day as it is now: the receiver refuses old seconds, also where the clock was wrong at the start.
        let seconds = engine.identity.now() / 1_000
        let body = JSONValue.object([
            .init("event", "upload.finished"), .init("sent_at", .string(engine.identity.timestamp())),
            .init("upload", Report(record).json),
        ])
        let bytes = Array(body.serialized().utf8)
        let request = HTTPRequest(
            method: "POST",
            url: settings.url,
            headers: [
                HTTPField("Content-Type", "application/json"),
                HTTPField("User-Agent", "fanlight"),
                HTTPField("Fanlight-Event", "upload.finished"),
                HTTPField("Fanlight-Attempt", String(attempt)),
                HTTPField("Fanlight-Signature", WebhookSignature.header(bytes, at: seconds, secret: settings.secret)),
            ],
            body: .bytes(bytes),
            timeouts: settings.timeouts,
            maxReplyBytes: 65_536
        )
        do throws(TransportError) {
            let status = try await engine.transport.send(request).status
            return (200..<300).contains(status) ? nil : WebhookFailure(kind: .rejected, status: status)
        } catch {
            return WebhookFailure(kind: error.cause.kind, status: nil)
        }
    }
}

/// Why a call of the webhook was not taken.
struct WebhookFailure: Sendable, Equatable {
    var kind: ErrorKind
    /// Status of the answer; `nil` = none came.
    var status: Int?
}

/// `t=SECONDS,v1=HEX`: HMAC-SHA256 with the secret over the seconds, a dot and the body.
enum WebhookSignature {
    static func header(_ body: [UInt8], at seconds: Int64, secret: Secret) -> String {
        let signed = Array("\(seconds).".utf8) + body
        return "t=\(seconds),v1=" + ContentHash.hmacSHA256(of: signed, key: Array(secret.value.utf8))
    }
}

extension JournalUpload {
    /// True when every delivery in the answer has its outcome.
    var isComplete: Bool { !deliveries.contains { $0.status == .pending && $0.role != .shadow } }
}

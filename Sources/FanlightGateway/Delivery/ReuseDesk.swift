// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Equal deliveries to a service that reuses: one is sent, those that come meanwhile wait for its outcome.
///
/// What has been delivered stands in the journal; this knows only what is under way.
final class ReuseDesk: Sendable {
    /// What makes two deliveries equal.
    struct Subject: Sendable, Hashable {
        var service: String
        /// SHA-256 of the rendition.
        var picture: String
        /// Digest of all that the service gets besides.
        var caption: String

        /// Name among the ``ReuseDesk/turns``; digests have no blanks.
        var name: String { "\(picture) \(caption) \(service)" }
    }

    /// Whose turn it is.
    enum Turn: Sendable {
        /// Nobody else is at it: send it, and say with ``ReuseDesk/end(_:isDelivered:)`` what came of it.
        case first
        /// The one before delivered: its link can be taken.
        case after
        /// The time is over.
        case late
        /// The task was cancelled.
        case stopped
    }

    private struct Waiting {
        var number: Int
        var continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        /// Those who wait, the longest first; an entry stands as long as somebody is at it.
        var lines: [Subject: [Waiting]] = [:]
        var next = 0
    }

    /// Shared by those who take links, taken alone by those who want to delete what the links lead to: no link is given
    /// again while it is decided that nobody needs it.
    let turns = Turnstile()
    private let state = Mutex(State())

    /// Waits until nobody else is at it, or has delivered.
    func take(_ subject: Subject, until: Timestamp, clock: EngineClock) async -> Turn {
        let number = state.withLock { state -> Int? in
            guard state.lines[subject] != nil else {
                state.lines[subject] = []
                return nil
            }
            state.next += 1
            return state.next
        }
        guard let number else { return .first }
        let alarm = Task { [weak self] in
            await clock.sleep(until)
            guard !Task.isCancelled else { return }
            self?.wake(number, of: subject, .late)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn = state.withLock { state -> Turn? in
                    if Task.isCancelled { return .stopped }
                    if clock.now() >= until { return .late }
                    guard state.lines[subject] != nil else {
                        state.lines[subject] = []
                        return .first
                    }
                    state.lines[subject]?.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            wake(number, of: subject, .stopped)
        }
    }

    /// Ends the turn of the one that was first.
    ///
    /// - Parameter isDelivered: True = all that wait can take its link; false = the next one is first.
    func end(_ subject: Subject, isDelivered: Bool) {
        let (woken, turn) = state.withLock { state -> ([Waiting], Turn) in
            guard var line = state.lines[subject] else { return ([], .after) }
            if isDelivered || line.isEmpty {
                state.lines[subject] = nil
                return (line, .after)
            }
            let next = line.removeFirst()
            state.lines[subject] = line
            return ([next], .first)
        }
        for waiting in woken { waiting.continuation.resume(returning: turn) }
    }

    private func wake(_ number: Int, of subject: Subject, _ turn: Turn) {
        let waiting = state.withLock { state -> Waiting? in
            guard let place = state.lines[subject]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.lines[subject]?.remove(at: place)
        }
        waiting?.continuation.resume(returning: turn)
    }
}

extension ReuseDesk.Subject {
    /// What a delivery is about, where its service may hold the same already; `nil` where it cannot be told.
    init?(_ delivery: JournalDelivery, of record: JournalUpload) {
        guard let caption = delivery.captionDigest, let place = delivery.rendition,
            record.renditions.indices.contains(place), let picture = record.renditions[place].sha256
        else { return nil }
        self.init(service: delivery.service, picture: picture, caption: caption)
    }
}

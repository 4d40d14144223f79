// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightGateway
import Synchronization

/// Has a reloader look at the files on a thread of its own.
///
/// A disk that does not answer, such as one behind a network, then holds up reloads, and neither stop signals nor uploads.
final class ReloadDesk: Sendable {
    private let reloader: Mutex<Reloader>
    private let inUse: Mutex<GatewayConfiguration>
    private let isAsked = Atomic(false)
    private let isLateTold = Atomic(false)
    private let looks = Chore()
    private let log: EventLog

    /// A look that takes longer is told.
    private static let late = Duration.seconds(30)

    init(_ reloader: sending Reloader, log: EventLog) {
        inUse = Mutex(reloader.configuration)
        self.reloader = Mutex(reloader)
        self.log = log
    }

    /// The configuration in use.
    var configuration: GatewayConfiguration { inUse.withLock { $0 } }

    /// True while the files are looked at.
    var isLooking: Bool { looks.isBusy }

    /// Begins a look at the files unless one is under way.
    ///
    /// - Parameter isAsked: True = everything is read again, changed or not, now or after the look that is under way.
    func look(isAsked: Bool) {
        if isAsked { self.isAsked.store(true, ordering: .relaxed) }
        let waiting = looks.begin { [self] in
            isLateTold.store(false, ordering: .relaxed)
            let isWanted = self.isAsked.exchange(false, ordering: .relaxed)
            let configuration = reloader.withLock { reloader in
                if isWanted { reloader.reloadWhenQuiet() } else { reloader.reloadIfChanged() }
                return reloader.configuration
            }
            inUse.withLock { $0 = configuration }
        }
        guard let waiting, waiting > Self.late, !isLateTold.exchange(true, ordering: .relaxed) else { return }
        log.write(
            .object([
                .init("time", .string(Identity.system.timestamp())), .init("level", .string("warning")),
                .init("message", .string("the files of the configuration do not answer; reloads wait for them")),
            ])
        )
    }
}

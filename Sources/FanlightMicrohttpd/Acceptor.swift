// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import Glibc
import Synchronization

/// Accepts connections on a thread of its own and hands them to the library.
///
/// The library does this itself where it is let, but cannot be made to end it: MHD_quiesce_daemon races with the workers of
/// a pool, and the loser aborts the process. It is also deaf while its workers are busy.
@safe
final class Acceptor: Sendable {
    private enum Outcome {
        /// Handed over.
        case accepted
        /// None waits.
        case none
        /// One waits that could not be taken: for want of descriptors or memory.
        case short
        /// One came and is gone.
        case lost
    }

    /// Milliseconds until it looks again for room, or for descriptors.
    private static let pause: Int32 = 5
    /// The same while room was found lately: where few have a place at a time, a crowd of silent ones goes by in turns of this.
    private static let shortPause: Int32 = 1
    private static let lately = Duration.milliseconds(100)
    /// Silent connections that are cut at a time where descriptors are short, which is faster than others come.
    private static let cutsAtOnce = 32
    /// How long a connection may be on its way to a worker before it counts as lost.
    private static let patience = Duration.seconds(1)

    private let listener: Int32
    // SAFETY: the daemon outlives the thread that runs this, and takes connections from any thread.
    private nonisolated(unsafe) let daemon: OpaquePointer
    private let table: ConnectionTable
    /// Connections at a time; still more wait in the kernel's queue.
    private let places: Int
    private let isOpen = Atomic(false)
    private let isOver = Atomic(false)
    private let wakeup = WakeupPair()

    init(listener: Int32, daemon: OpaquePointer, table: ConnectionTable, places: Int) {
        self.listener = listener
        unsafe self.daemon = unsafe daemon
        self.table = table
        self.places = places
    }

    /// Lets ``run()`` take connections, which wait in the kernel's queue until then; may be called from any thread.
    func open() {
        isOpen.store(true, ordering: .releasing)
        wakeup.wake()
    }

    /// Ends ``run()``; may be called from any thread.
    func stop() {
        isOver.store(true, ordering: .releasing)
        wakeup.wake()
    }

    /// Accepts from ``open()`` on until the end.
    func run() {
        while !isOpen.load(ordering: .acquiring), !isOver.load(ordering: .acquiring) { wakeup.pause(-1) }
        // A worker shows a connection in the table some time after it was handed over.
        var handed = 0
        var lastRoom = ContinuousClock.now
        while !isOver.load(ordering: .acquiring) {
            let (open, everOpened) = table.load
            guard open + max(0, handed - everOpened) < places else {
                let wait = ContinuousClock.now - lastRoom
                wakeup.pause(wait < Self.lately ? Self.shortPause : Self.pause)
                if wait > Self.patience { handed = everOpened }
                continue
            }
            lastRoom = .now
            switch accept() {
            case .accepted: handed += 1
            case .lost: continue
            case .none: wakeup.pause(-1, for: listener)
            case .short: wakeup.pause(table.makeRoom(Self.cutsAtOnce) > 0 ? 1 : Self.pause)
            }
        }
    }

    /// Accepts one connection (C: accept4, MHD_add_connection).
    private func accept() -> Outcome {
        switch unsafe fl_accept(listener, daemon) {
        case 0: .accepted
        case EAGAIN: .none
        case EINTR, ECONNABORTED, EPROTO: .lost
        default: .short
        }
    }
}

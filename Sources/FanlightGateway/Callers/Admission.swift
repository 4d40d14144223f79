// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// A request's place in the counts of ``CallerDesk``; gives back what it did not use when nobody holds it any more.
final class Admission: Sendable {
    private struct State {
        var bytes = 0
        var holdsPicture = false
    }

    private let gateway: Gateway
    private let key: ClientKey?
    private let state = Mutex(State())

    private init(_ gateway: Gateway, _ key: ClientKey?) {
        self.gateway = gateway
        self.key = key
    }

    /// Lets an upload in: the rate counts it, its bytes and one picture are reserved.
    ///
    /// - Parameter isRepeatable: The request may turn out to be one that was answered before, which costs no picture; none
    ///   is reserved before that is known.
    static func upload(
        _ client: Client,
        bytes: Int,
        isRepeatable: Bool,
        _ gateway: Gateway
    ) throws(Problem) -> Admission {
        let admission = Admission(gateway, client.key)
        try work(client, gateway)
        guard admission.grow(by: bytes) else { throw .tooMuchUnderWay }
        if !isRepeatable { try admission.reserve() }
        return admission
    }

    private func reserve() throws(Problem) {
        guard let key, !state.withLock({ $0.holdsPicture }) else { return }
        try gateway.callers.reserve(key)
        state.withLock { $0.holdsPicture = true }
    }

    /// Counts any request that makes work.
    static func work(_ client: Client, _ gateway: Gateway) throws(Problem) {
        if let key = client.key {
            try gateway.callers.count(key)
        } else {
            try gateway.callers.count(client.peer, gateway.settings.addressRate)
        }
    }

    deinit {
        let left = state.withLock { $0 }
        if left.bytes > 0 { gateway.callers.received(left.bytes) }
        if left.holdsPicture, let key { gateway.callers.giveUp(key) }
    }

    /// Counts more bytes of the body; false when there is no room for them.
    func grow(by bytes: Int) -> Bool {
        let others = gateway.registry.bytes
        let earlier = state.withLock { $0.bytes }
        let limit = gateway.settings.maxSpool
        guard gateway.callers.receive(bytes, earlier: earlier, others: others, limit: limit) else { return false }
        state.withLock { $0.bytes += bytes }
        return true
    }

    /// The pictures of the request are about to be taken.
    func take(_ pictures: Int) throws(Problem) {
        guard let key else { return }
        try reserve()
        try gateway.callers.take(pictures, key)
        state.withLock { $0.holdsPicture = false }
    }

    /// The pictures count as uploads under way from now on.
    func handOver() {
        let bytes = state.withLock { state in
            defer { state.bytes = 0 }
            return state.bytes
        }
        if bytes > 0 { gateway.callers.received(bytes) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One at a time for each name; the others wait.
final class Turnstile: Sendable {
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Takes the name; waits while another has it.
    func take(_ name: String) async {
        while true {
            let isOurs = waiting.withLock { waiting in
                guard waiting[name] == nil else { return false }
                waiting[name] = []
                return true
            }
            if isOurs { return }
            await withCheckedContinuation { continuation in
                let isFree = waiting.withLock { waiting in
                    guard waiting[name] != nil else { return true }
                    waiting[name]?.append(continuation)
                    return false
                }
                if isFree { continuation.resume() }
            }
        }
    }

    /// Gives the name back.
    func give(_ name: String) {
        let all = waiting.withLock { $0.removeValue(forKey: name) ?? [] }
        for continuation in all { continuation.resume() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One at a time for each name, or several that share it; the others wait.
final class Turnstile: Sendable {
    private struct Holders {
        var isShared: Bool
        var count = 1
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let names = Mutex<[String: Holders]>([:])

    /// Takes the name; waits while another has it.
    ///
    /// - Parameter shared: True = others that share it, too, may have it at the same time.
    func take(_ name: String, shared: Bool = false) async {
        while true {
            if names.withLock({ Self.enter(name, shared, &$0) }) { return }
            await withCheckedContinuation { continuation in
                let isFree = names.withLock { names in
                    guard names[name] != nil else { return true }
                    names[name]?.waiting.append(continuation)
                    return false
                }
                if isFree { continuation.resume() }
            }
        }
    }

    private static func enter(_ name: String, _ shared: Bool, _ names: inout [String: Holders]) -> Bool {
        guard let holders = names[name] else {
            names[name] = Holders(isShared: shared)
            return true
        }
        // Behind one that waits, so that those who share it do not keep it for ever.
        guard shared, holders.isShared, holders.waiting.isEmpty else { return false }
        names[name]?.count += 1
        return true
    }

    /// Gives the name back.
    func give(_ name: String) {
        let all = names.withLock { names -> [CheckedContinuation<Void, Never>] in
            guard let holders = names[name] else { return [] }
            if holders.count > 1 {
                names[name]?.count -= 1
                return []
            }
            names[name] = nil
            return holders.waiting
        }
        for continuation in all { continuation.resume() }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Room for tests of time limits where a tool makes every program slower.
public enum Patience {
    /// So many times as long are the limits that are tested; FANLIGHT_TEST_PATIENCE sets it, 1 where it does not.
    public static let factor: Int = {
        // SAFETY: the text is copied before anything may change the environment.
        guard let text = unsafe getenv("FANLIGHT_TEST_PATIENCE") else { return 1 }
        return max(1, unsafe Int(String(cString: text)) ?? 1)
    }()
}

extension Duration {
    /// The time limit with the room that this machine needs.
    public var patient: Duration { self * Patience.factor }
}

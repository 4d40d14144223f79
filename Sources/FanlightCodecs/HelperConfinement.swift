// SPDX-License-Identifier: Apache-2.0

import CImaging

/// What a helper process may use.
public enum HelperConfinement {
    /// Gives up what decoding does not need, and memory beyond `headroom` bytes from now on (C: setrlimit, prctl).
    public static func confine(headroom: Int) -> Bool { fl_confine(headroom) }

    /// Allows so much more processor time, then the process is killed (C: setrlimit RLIMIT_CPU).
    public static func allowProcessor(seconds: Int) -> Bool { fl_allow_cpu(Int32(clamping: seconds)) }
}

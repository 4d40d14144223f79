// SPDX-License-Identifier: Apache-2.0

import CImaging

/// What a helper process may use.
public enum HelperConfinement {
    /// Closes what the parent left open; to be called before anything is opened (C: close_range).
    public static func closeInherited() -> Bool { fl_close_inherited() }

    /// Gives up what decoding does not need, and memory beyond `headroom` bytes from now on (C: setrlimit, prctl).
    public static func confine(headroom: Int) -> Bool { fl_confine(headroom) }

    /// Waits for standard input, and gives memory back to the system when nothing comes for a while (C: malloc_trim).
    public static func awaitInput() { fl_await_input() }

    /// Allows so much more processor time, then the process is killed (C: setrlimit RLIMIT_CPU).
    public static func allowProcessor(seconds: Int) -> Bool { fl_allow_cpu(Int32(clamping: seconds)) }
}

// SPDX-License-Identifier: Apache-2.0

import CImaging

/// What a helper process may use.
public enum HelperConfinement {
    /// Closes what the parent left open; to be called before anything is opened (C: close_range).
    public static func closeInherited() -> Bool { fl_close_inherited() }

    /// Gives up what decoding does not need (C: setrlimit, prctl).
    ///
    /// - Parameters:
    ///   - headroom: Bytes of memory beyond what is in use now.
    ///   - largestFile: Bytes of the largest file that may be made.
    public static func confine(headroom: Int, largestFile: Int) -> Bool { fl_confine(headroom, largestFile) }

    /// Gives up network, files by name, programs and other processes (C: seccomp).
    public static func renounce() -> Bool { fl_renounce() }

    /// Waits for standard input, and gives memory back to the system when nothing comes for a while (C: malloc_trim).
    public static func awaitInput() {
        guard fl_awaits_input(2_000) else { return }
        PlaneMemory.discard()
        fl_trim()
    }

    /// Allows so much more processor time, then the process is killed (C: setrlimit RLIMIT_CPU).
    public static func allowProcessor(seconds: Int) -> Bool { fl_allow_cpu(Int32(clamping: seconds)) }

    /// An unnamed file in memory, -1 on failure (C: memfd_create).
    public static func memoryFile() -> Int32 { fl_memory_file() }
}

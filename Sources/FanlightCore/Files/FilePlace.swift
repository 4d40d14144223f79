// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A path and the file or folder that stood there, to tell later whether it still does.
///
/// What a process has open stays open when its name goes or is given to another file.
public struct FilePlace: Sendable {
    /// What became of a place.
    public enum Change: Sendable, Equatable {
        /// Nothing stands there any more.
        case missing
        /// Something else has the name.
        case replaced
    }

    /// The path.
    public let path: String
    private let device: dev_t
    private let number: ino_t

    /// Notes what stands there now; `nil` = nothing does, or it cannot be looked at.
    ///
    /// Blocks as long as the disk does.
    public init?(_ path: String) {
        var facts = stat()
        // SAFETY: the string and the structure live through the call.
        guard unsafe stat(path, &facts) == 0 else { return nil }
        self.path = path
        device = facts.st_dev
        number = facts.st_ino
    }

    /// Looks again; `nil` = it is still there.
    ///
    /// Blocks as long as the disk does.
    public var change: Change? {
        guard let now = FilePlace(path) else { return .missing }
        return now.device == device && now.number == number ? nil : .replaced
    }
}

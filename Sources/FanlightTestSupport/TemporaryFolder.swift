// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
import Glibc

/// A folder of a test's own, below `TMPDIR` or `/tmp`; it and all that is in it goes with its last user.
@safe
public final class TemporaryFolder: Sendable {
    /// Absolute path, without a slash at its end.
    public let path: String

    /// Makes the folder.
    ///
    /// - Parameter name: What is read in its path, for whoever looks while a test hangs.
    public init(_ name: String) {
        // SAFETY: the environment is not changed by tests; the text is copied at once.
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/fanlight-\(name)-XXXXXX".utf8CString)
        // SAFETY: a local C string, which the call writes within; `nil` only where no test could run.
        path = unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? "\(parent)/fanlight-\(name)"
    }

    deinit { Self.remove(path) }

    /// A path inside.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Removes a folder with all that is in it; links are removed, not followed.
    private static func remove(_ path: String) {
        // What is no folder, or an empty one, goes at once.
        if unsafe Glibc.remove(path) == 0 { return }
        for name in Folder.names(path) where name != "." && name != ".." { remove(path + "/" + name) }
        _ = unsafe Glibc.remove(path)
    }
}

// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc

/// Looks whether the state folder is still the one that the gateway opened, and can be used.
///
/// What is open stays open when a folder is moved away or deleted: a journal goes on in a file that nobody finds again.
public struct StateWatch: Sendable {
    /// Why the state folder cannot be used.
    public enum Trouble: String, Sendable, CaseIterable {
        /// It, or something in it, is gone.
        case missing
        /// Something else has its name.
        case replaced
        /// Files cannot be made in it.
        case unwritable

        /// What is wrong, and what helps; without the folder's path.
        public var advice: String {
            switch self {
            case .missing:
                "The state folder (server.state), or something in it, was moved away or deleted: put it back as it was, or restart the gateway, which makes what is missing, empty."
            case .replaced:
                "Another folder or file stands where server.state was: put the old one back, or restart the gateway to use the new one."
            case .unwritable:
                "The state folder (server.state) cannot be written: it needs the gateway's user as owner, on a disk that is not read-only."
            }
        }
    }

    private let places: [FilePlace]

    /// Notes what stands there now; what is not there is not looked at.
    ///
    /// - Parameter paths: Folders and files, the outermost first.
    public init(_ paths: [String]) { places = paths.compactMap { FilePlace($0) } }

    /// Looks again; blocks as long as the disk does.
    ///
    /// - Returns: What is wrong with the first place that is not as it was; `nil` = nothing.
    public func trouble() -> Trouble? {
        for place in places {
            switch place.change {
            case .missing: return .missing
            case .replaced: return .replaced
            case nil: break
            }
            // SAFETY: the string lives through the call.
            if unsafe access(place.path, R_OK | W_OK) != 0 { return .unwritable }
        }
        return nil
    }
}

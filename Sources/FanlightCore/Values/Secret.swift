// SPDX-License-Identifier: Apache-2.0

/// A value that never prints.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The characters; use only where they are sent.
    public let value: String

    /// Wraps a value.
    public init(_ value: String) { self.value = value }

    /// Always three stars.
    public var description: String { "***" }
    /// Always three stars.
    public var debugDescription: String { "***" }
    /// Hides the value from reflection, too.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// SPDX-License-Identifier: Apache-2.0

/// What is taken as a position where cameras are known to write doubtful ones.
public struct PositionPolicy: Sendable, Equatable {
    /// True where exactly 0,0 in a file is a place and not a receiver without a fix.
    public var acceptsNullIsland: Bool
    /// True where a coordinate without a hemisphere letter lies north or east.
    public var acceptsMissingRef: Bool

    /// Creates a policy; without arguments it is the careful one.
    public init(acceptsNullIsland: Bool = false, acceptsMissingRef: Bool = false) {
        self.acceptsNullIsland = acceptsNullIsland
        self.acceptsMissingRef = acceptsMissingRef
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A value that lies on the heap and is shared by all copies of what it is a part of.
///
/// For large parts of values that are copied often: a task that waits holds copies of all that it works with.
@propertyWrapper
public struct Boxed<Value: Sendable>: Sendable {
    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline let value: Value

        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var storage: Storage

    /// The value; another one goes to a place of its own, and copies keep theirs.
    ///
    /// It is lent, not copied: reading one property of a large value would else retain and release all of them.
    @inlinable public var wrappedValue: Value {
        _read { yield storage.value }
        set { storage = Storage(newValue) }
    }

    /// Puts a value on the heap.
    @inlinable
    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }
}

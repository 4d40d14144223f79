// SPDX-License-Identifier: Apache-2.0

/// A value that lies on the heap and is shared by all copies of what it is a part of.
///
/// For large parts of values that are copied often: a task that waits holds copies of all that it works with.
@propertyWrapper
public struct Boxed<Value: Sendable>: Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    /// The value; another one goes to a place of its own, and copies keep theirs.
    public var wrappedValue: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    /// Puts a value on the heap.
    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }
}

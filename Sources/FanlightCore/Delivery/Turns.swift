// SPDX-License-Identifier: Apache-2.0

/// First in, first out, in constant time at both ends.
struct Turns<Element: Sendable>: Sendable {
    private var items: [Element] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    /// In order, the first out first.
    var all: ArraySlice<Element> { items[head...] }

    mutating func append(_ item: Element) { items.append(item) }

    mutating func popFirst() -> Element? {
        guard head < items.count else { return nil }
        let item = items[head]
        head += 1
        // What was taken is let go of in large steps, so that each costs a share of one copy.
        if head >= 64, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return item
    }
}

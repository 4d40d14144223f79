// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Glibc
import Testing

@Suite("Messages between the gateway and its helpers", .serialized)
struct MessageSocketTests {
    private let ends: (own: Int32, theirs: Int32)
    private var own: MessageSocket { MessageSocket(descriptor: ends.own) }
    private var theirs: MessageSocket { MessageSocket(descriptor: ends.theirs) }

    init() throws { ends = try #require(MessageSocket.pair()) }

    private func closeEnds() {
        close(ends.own)
        close(ends.theirs)
    }

    @Test("A message comes whole, with its descriptor")
    func whole() throws {
        defer { closeEnds() }
        #expect(own.send("one") && own.send("two", descriptor: ends.own))
        let one = try #require(theirs.receive())
        #expect(one.text == "one" && one.descriptor == nil && !one.isDescriptorLost)
        let two = try #require(theirs.receive())
        #expect(two.text == "two" && !two.isDescriptorLost)
        close(try #require(two.descriptor))
    }

    @Test("What is longer than agreed is nothing, and so is what comes after the end")
    func nothing() {
        defer { close(ends.theirs) }
        #expect(own.send("too long"))
        #expect(theirs.receive(longest: 4) == nil)
        close(ends.own)
        #expect(theirs.receive() == nil)
    }

    @Test("A descriptor for which there is no place here is told as lost, and the message stays")
    func lostDescriptor() throws {
        defer { closeEnds() }
        #expect(own.send("file", descriptor: ends.own))
        let message = try withoutDescriptors { theirs.receive() }
        #expect(message?.text == "file" && message?.descriptor == nil && message?.isDescriptorLost == true)
    }
}

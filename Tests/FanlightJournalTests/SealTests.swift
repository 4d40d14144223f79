// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightJournal

@Suite("Seal")
struct SealTests {
    @Test("What is sealed opens with the same key and context only, and never looks the same twice")
    func opens() throws {
        let seal = try #require(Seal(secret: Array("a".utf8)))
        let other = try #require(Seal(secret: Array("b".utf8)))
        for bytes in [[], [1], [UInt8](repeating: 7, count: 100_000)] {
            let sealed = try #require(seal.sealed(bytes, context: "x 1"))
            #expect(seal.opened(sealed, context: "x 1") == bytes)
            #expect(seal.opened(sealed, context: "x 2") == nil)
            #expect(other.opened(sealed, context: "x 1") == nil)
            #expect(seal.sealed(bytes, context: "x 1") != sealed)
        }
    }

    @Test("A changed byte, a shorter and a longer text do not open")
    func tampered() throws {
        let seal = try #require(Seal(secret: Array("a".utf8)))
        let sealed = try #require(seal.sealed([1, 2, 3], context: ""))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(seal.opened(changed, context: "") == nil, "byte \(index)")
            #expect(seal.opened(Array(sealed[..<index]), context: "") == nil, "\(index) bytes")
        }
        #expect(seal.opened(sealed + [0], context: "") == nil)
    }
}

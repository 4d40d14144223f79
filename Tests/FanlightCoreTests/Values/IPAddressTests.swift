// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@Suite("Addresses")
struct IPAddressTests {
    @Test(
        "One address, one spelling",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:8080", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("[2001:db8::1]:443", "2001:db8:0:0:0:0:0:1"), ("2001:DB8:0:0::1", "2001:db8:0:0:0:0:0:1"),
            ("fe80::1%eth0", "fe80:0:0:0:0:0:0:1"), ("::", "0:0:0:0:0:0:0:0"), ("::1", "0:0:0:0:0:0:0:1"),
            ("1::", "1:0:0:0:0:0:0:0"),
        ]
    )
    func spelling(text: String, plain: String) { #expect(IPAddress(text)?.description == plain) }

    @Test(
        "What is no address",
        arguments: [
            "", "unknown", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.+4", "1.2.3.-4", ":::", "1::2::3", "12345::",
            "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", "g::", "[::1", "+1::", "::1.2.3.4.5", "1:2:3:4:5:6:7:8::",
        ]
    )
    func refused(text: String) { #expect(IPAddress(text) == nil) }

    @Test(
        "A set holds addresses and networks",
        arguments: [
            ("10.1.2.3", true), ("11.1.2.3", false), ("::ffff:10.9.9.9", true), ("127.0.0.1", true),
            ("127.0.0.2", false), ("2001:db8:1::5", true), ("2001:db9::5", false), ("nonsense", false),
        ]
    )
    func networks(text: String, isInside: Bool) {
        let set: AddressSet = ["10.0.0.0/8", "127.0.0.1", "2001:db8::/32"]
        #expect(set.contains(text) == isInside)
    }

    @Test(
        "Networks that are none",
        arguments: ["10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/8/8", "-1/8"]
    )
    func badNetworks(text: String) {
        var set = AddressSet()
        let isTaken = set.insert(text)
        #expect(!isTaken)
        #expect(set.isEmpty)
    }

    @Test("A network of no bits holds everything of its kind")
    func everything() {
        #expect(AddressSet(arrayLiteral: "0.0.0.0/0").contains("203.0.113.9"))
        #expect(!AddressSet(arrayLiteral: "0.0.0.0/0").contains("2001:db8::1"))
    }

    @Test("A customer has one address of version 4 and 64 bits of version 6")
    func customers() {
        #expect(IPAddress("2001:db8::1")?.customer == IPAddress("2001:db8::2")?.customer)
        #expect(IPAddress("192.0.2.1")?.customer != IPAddress("192.0.2.2")?.customer)
    }
}

internal import NIOCore
internal import Testing
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

@Suite struct AddressBlockTests {
    private static func block(_ text: String) throws -> AddressBlock {
        AddressBlock(try SocketAddress(ipAddress: text, port: 443))
    }

    @Test func anIPv4AddressIsABlockOfItsOwn() throws {
        #expect(try Self.block("192.0.2.1") == AddressBlock([192, 0, 2, 1]))
        #expect(try Self.block("::ffff:192.0.2.1") == Self.block("192.0.2.1"))
        #expect(try Self.block("192.0.2.1") != Self.block("192.0.2.2"))
    }

    @Test func anIPv6AddressCountsWithItsNetwork() throws {
        #expect(try Self.block("2001:db8::1") == Self.block("2001:db8::ffff:1"))
        #expect(try Self.block("2001:db8::1") != Self.block("2001:db8:0:1::1"))
        #expect(try Self.block("::1") != AddressBlock([]))
    }

    @Test func theNameOfAnInterfaceIsNoPartOfAnAddress() throws {
        let peer = try SocketAddress.makeAddressResolvingHost("fe80::1%lo", port: 443)
        #expect(try AddressBlock(peer) == Self.block("fe80::1"))
        #expect(AddressBlock(peer) != AddressBlock(nil))
    }

    @Test func peersWithoutAnAddressAreOneBlock() throws {
        #expect(AddressBlock(nil) == AddressBlock(try SocketAddress(unixDomainSocketPath: "/run/socket")))
        #expect(try AddressBlock(nil) != Self.block("192.0.2.1"))
    }
}

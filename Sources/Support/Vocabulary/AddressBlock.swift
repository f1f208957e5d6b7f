/// The part of the network that belongs to one party: an IPv4 address, or the first 64 bits of an IPv6 address.
///
/// Limits by address count these blocks: a household has 2^64 IPv6 addresses, but one IPv4 address.
public struct AddressBlock: Sendable, Hashable {
    private let bytes: [UInt8]

    /// Creates the block of an address of 4 or 16 bytes; any other address, such as a Unix socket's, is a block by itself.
    ///
    /// An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) counts as an IPv4 address.
    public init(_ address: [UInt8]) {
        let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF]
        switch address.count {
        case 16 where address.starts(with: mapped): self.bytes = Array(address.suffix(4))
        case 16: self.bytes = Array(address.prefix(8))
        default: self.bytes = address
        }
    }
}

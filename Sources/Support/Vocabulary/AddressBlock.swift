/// The part of the network that one party has to itself: an IPv4 address, or the first 64 bits of an IPv6 address.
///
/// Bounds by address count by it: a household gets 2^64 addresses of IPv6, and one of IPv4.
public struct AddressBlock: Sendable, Hashable {
    private let bytes: [UInt8]

    /// Creates the block of an address of 4 or 16 bytes; any other address, such as a Unix socket's, is its own block.
    ///
    /// An IPv4 address that came as IPv6 (`::ffff:192.0.2.1`) is an IPv4 address.
    public init(_ address: [UInt8]) {
        let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF]
        switch address.count {
        case 16 where address.starts(with: mapped): self.bytes = Array(address.suffix(4))
        case 16: self.bytes = Array(address.prefix(8))
        default: self.bytes = address
        }
    }
}

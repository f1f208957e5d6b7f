internal import Glibc
internal import NIOCore
internal import Vocabulary

extension AddressBlock {
    /// The block of a peer; a peer without an address, as on a Unix socket, is in one block with all of its kind.
    init(_ address: SocketAddress?) {
        // The name of an interface follows an address that is valid there alone: `fe80::1%eth0`.
        let text = address?.ipAddress.map { String($0.prefix { $0 != "%" }) } ?? ""
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard unsafe inet_pton(family, text, &bytes) == 1 else { continue }
            self.init(bytes)
            return
        }
        self.init([])
    }
}

internal import Glibc
package import NIOCore
package import WhereaboutsVocabulary

extension AddressBlock {
    /// Creates the block of a peer; peers without an address, as on a Unix socket, share one block.
    package init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            guard unsafe inet_pton(family, text, &bytes) == 1 else { continue }
            self.init(bytes)
            return
        }
        self.init([])
    }
}

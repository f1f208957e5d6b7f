internal import Glibc

/// A name or an address of a server, in the form in which a certificate contains it.
package struct HostName: Sendable, Hashable {
    /// The kinds of names in certificates.
    package enum Kind: Sendable, Hashable {
        /// A name of the domain name system (RFC 1123, section 2.1).
        case name
        /// An IPv4 address, 4 bytes.
        case ipv4([UInt8])
        /// An IPv6 address, 16 bytes.
        case ipv6([UInt8])
    }

    /// The name or the address, without brackets.
    package let text: String
    package let kind: Kind

    /// Parses a host; nil for a text with a scheme, port, path or zone, and for a name that no server can have.
    package init?(_ text: String) {
        let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        // The wildcard address is only for listening; clients cannot connect to it.
        if let bytes = Self.bytes(bare, AF_INET6, count: 16) {
            guard bytes.contains(where: { $0 != 0 }) else { return nil }
            self.kind = .ipv6(bytes)
        } else if bare != text {
            return nil
        } else if let bytes = Self.bytes(bare, AF_INET, count: 4) {
            guard bytes.contains(where: { $0 != 0 }) else { return nil }
            self.kind = .ipv4(bytes)
        } else {
            guard Self.isName(bare) else { return nil }
            self.kind = .name
        }
        self.text = bare
    }

    /// The host as it is written before a port.
    package var beforePort: String {
        switch self.kind {
        case .ipv6: "[\(self.text)]"
        case .name, .ipv4: self.text
        }
    }

    /// Whether only programs on this machine can reach the host.
    package var isLoopback: Bool {
        switch self.kind {
        case .name: self.text == "localhost"
        case .ipv4(let bytes): bytes[0] == 127
        case .ipv6(let bytes): bytes == Array(repeating: 0, count: 15) + [1]
        }
    }

    /// The address to listen on for clients that use this host.
    package var listeningAddress: String {
        switch self.kind {
        case .ipv6: "[::]"
        case .name, .ipv4: self.isLoopback ? "127.0.0.1" : "0.0.0.0"
        }
    }

    private static func bytes(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last, !last.allSatisfy(\.isNumber) else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}

/// The address of a receiver that sends NMEA 0183.
public enum ReceiverAddress: Sendable, Hashable, CustomStringConvertible {
    /// A server to connect to.
    case tcp(host: String, port: Int)
    /// A port that the receiver, or a phone's app, connects to; the newest connection is used.
    case listener(host: String, port: Int)
    /// A port that receives datagrams.
    case udp(host: String, port: Int)
    /// A serial line or a pipe, by its path in the file system; a line's speed is found by trial.
    case device(path: String)
    case standardInput

    /// Reads `host:port`, `tcp://host:port`, `listen://host:port`, `udp://host:port`, `/path/of/a/device` or `-`; a
    /// listener without a host accepts this machine only.
    ///
    /// - Parameter text: the address.
    public init?(_ text: String) {
        if text == "-" {
            self = .standardInput
        } else if text.hasPrefix("/") {
            self = .device(path: text)
        } else if let rest = Self.rest(of: text, after: "udp://"), let (host, port) = Self.endpoint(rest) {
            self = .udp(host: host ?? "127.0.0.1", port: port)
        } else if let rest = Self.rest(of: text, after: "listen://"), let (host, port) = Self.endpoint(rest) {
            self = .listener(host: host ?? "127.0.0.1", port: port)
        } else if case (let host?, let port)? = Self.endpoint(Self.rest(of: text, after: "tcp://") ?? text) {
            self = .tcp(host: host, port: port)
        } else {
            return nil
        }
    }

    private static func rest(of text: String, after scheme: String) -> String? {
        text.hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : nil
    }

    /// Reads `host:port`, `[address]:port` or `:port`.
    ///
    /// - Parameter text: the host and the port.
    /// - Returns: both parts, the host nil if there is none; nil if the text is something else.
    public static func endpoint(_ text: String) -> (host: String?, port: Int)? {
        // Use the last colon: an IPv6 address contains others, and is in brackets.
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (1...65535).contains(port)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.contains("/") else { return nil }
        return (host.isEmpty ? nil : String(host), port)
    }

    /// The address as text, in the form that the initializer reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port): Self.text(host, port)
        case .listener(let host, let port): "listen://" + Self.text(host, port)
        case .udp(let host, let port): "udp://" + Self.text(host, port)
        case .device(let path): path
        case .standardInput: "-"
        }
    }

    private static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

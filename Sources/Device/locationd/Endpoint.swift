internal import ArgumentParser
internal import WhereaboutsLocationDaemon
internal import WhereaboutsLocationSources

/// A host and a port in an option.
struct Endpoint: Sendable {
    let host: String
    let port: Int

    /// Reads `host:port`.
    static func parse(_ text: String) throws -> Endpoint {
        guard case (let host?, let port)? = ReceiverAddress.endpoint(text) else {
            throw ValidationError("expected host:port with a port from 1 to 65535")
        }
        return Endpoint(host: host, port: port)
    }

    /// Parses the address of a gpsd: `host`, `host:port`, or the path of a socket.
    static func gpsd(_ text: String) throws -> DaemonConfiguration.Source {
        if text.hasPrefix("/") { return .gpsdSocket(path: text) }
        let endpoint = try Self.parse(text.contains(":") ? text : "\(text):2947")
        return .gpsd(host: endpoint.host, port: endpoint.port)
    }

    /// Parses the address of a receiver that sends NMEA 0183.
    static func receiver(_ text: String) throws -> ReceiverAddress {
        guard let address = ReceiverAddress(text) else {
            throw ValidationError("expected host:port, listen://host:port, udp://host:port, a path, or -")
        }
        return address
    }

    /// Parses the position of `--at`.
    static func position(_ text: String) throws -> FixedPosition {
        guard let position = FixedPosition(text) else {
            throw ValidationError("expected latitude,longitude in degrees, and metres if you like: 53.5451,9.9672,30")
        }
        return position
    }
}

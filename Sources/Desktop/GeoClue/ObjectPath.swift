/// One of GeoClue's objects on the bus.
package enum ObjectPath: Sendable, Hashable {
    /// The object that creates clients.
    case manager
    case client(ClientNumber)
    /// A position that a client received.
    case location(ClientNumber, UInt64)

    private static let root = "/org/freedesktop/GeoClue2"
    private static let managerText = Self.root + "/Manager"
    private static let clients = Self.root + "/Client/"

    /// Parses a path; nil: GeoClue has no such object.
    package init?(_ text: String) {
        if text == Self.managerText {
            self = .manager
            return
        }
        guard text.hasPrefix(Self.clients) else { return nil }
        let parts = text.dropFirst(Self.clients.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let client = parts.first.flatMap({ Self.number($0) }) else { return nil }
        switch parts.count {
        case 1: self = .client(ClientNumber(client))
        case 3 where parts[1] == "Location":
            guard let location = Self.number(parts[2]) else { return nil }
            self = .location(ClientNumber(client), location)
        default: return nil
        }
    }

    private static func number(_ text: Substring) -> UInt64? {
        // Accept only the form that `text` writes, without signs or leading zeros.
        guard let number = UInt64(text), "\(number)" == text else { return nil }
        return number
    }

    /// The path of the object on the bus.
    package var text: String {
        switch self {
        case .manager: Self.managerText
        case .client(let client): "\(Self.clients)\(client.rawValue)"
        case .location(let client, let location): "\(Self.clients)\(client.rawValue)/Location/\(location)"
        }
    }
}

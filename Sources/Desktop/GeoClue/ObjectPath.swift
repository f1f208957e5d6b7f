/// An object of GeoClue's on the bus.
package enum ObjectPath: Sendable, Hashable {
    /// The object that creates clients.
    case manager
    case client(ClientNumber)
    /// A position that a client received.
    case location(ClientNumber, UInt64)

    private static let root = "/org/freedesktop/GeoClue2"
    private static let managerText = Self.root + "/Manager"
    private static let clients = Self.root + "/Client/"

    /// Reads a path; nil: no object of GeoClue has it.
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
        // As it is written below: nothing with a sign or zeros in front.
        guard let number = UInt64(text), "\(number)" == text else { return nil }
        return number
    }

    /// The path on the bus.
    package var text: String {
        switch self {
        case .manager: Self.managerText
        case .client(let client): "\(Self.clients)\(client.rawValue)"
        case .location(let client, let location): "\(Self.clients)\(client.rawValue)/Location/\(location)"
        }
    }
}

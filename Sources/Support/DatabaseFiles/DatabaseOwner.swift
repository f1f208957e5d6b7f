/// A program that owns a database, identified by SQLite's `application_id`.
package enum DatabaseOwner: Int32, CaseIterable, Sendable {
    /// "WbGw" in ASCII.
    case pushGateway = 0x5762_4777
    /// "WbSh" in ASCII.
    case sharingServer = 0x5762_5368

    /// The name of the program, for people.
    package var name: String {
        switch self {
        case .pushGateway: "a push gateway (whereabouts gateway)"
        case .sharingServer: "a sharing server (whereabouts server)"
        }
    }
}

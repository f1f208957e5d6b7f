/// A provider whose pushes are relayed: a key with the operator's permission and daily limit (ADR 0076).
public struct Sender: Sendable, Hashable {
    /// The maximum number of pushes in a day that an operator can grant.
    public static let pushesADayMax = 1_000_000

    /// A sender's key, as in its provider tokens.
    public struct Name: Sendable, Hashable, CustomStringConvertible {
        /// The team (`iss`).
        public let teamID: String
        /// The key (`kid`).
        public let keyID: String

        /// Creates a name.
        public init(teamID: String, keyID: String) {
            self.teamID = teamID
            self.keyID = keyID
        }

        /// The name as `TEAM:KEY`.
        public var description: String { "\(self.teamID):\(self.keyID)" }
    }

    /// The name of the sender's key.
    public let name: Name
    /// The maximum number of pushes that are sent for the sender in a day (UTC), from 1 to ``pushesADayMax``.
    public let pushesADay: Int

    /// Creates a sender.
    public init(_ name: Name, pushesADay: Int) {
        self.name = name
        self.pushesADay = pushesADay
    }
}

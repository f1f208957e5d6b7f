internal import WhereaboutsPushEngine

/// A provider key in force, for the relay's reports.
struct SenderKey: Sendable, Hashable {
    let name: Sender.Name
    /// The maximum number of pushes relayed with the key in a day; nil if it is not a sender's.
    let pushesADay: Int?
    /// The apps to which the key may push.
    let scope: TopicScope
}

extension SenderKey {
    init(_ key: ProviderKey) {
        self.init(
            name: Sender.Name(teamID: key.teamID, keyID: key.keyID),
            pushesADay: key.relayedADay,
            scope: key.scope
        )
    }
}

internal import WhereaboutsPushEngine

/// A provider key in force, for the relay's reports.
struct SenderKey: Sendable, Hashable {
    let name: Sender.Name
    /// The number of pushes relayed for it in a day; nil: it is not a sender.
    let pushesADay: Int?
    /// The apps that it may push to.
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

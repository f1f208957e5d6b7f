internal import WhereaboutsPushEngine

/// A provider key that is in force, as the relay's reports need it.
struct SenderKey: Sendable, Hashable {
    let name: Sender.Name
    /// The pushes that the relay sends for it in a day; nil: it is no sender's.
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

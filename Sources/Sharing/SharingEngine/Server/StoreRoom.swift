/// How full the store is, and for what there is still room.
///
/// The rows that many may leave stop first, and those that take consent back stop last: a store that strangers fill still keeps revocations,
/// and can be opened and pruned.
package struct StoreRoom: Sendable, Hashable {
    /// A kind of row, with the share of the store up to which it is let in.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// Where a device of a sharer who was not known takes pushes.
        case newRegistration
        /// A link, which stays for weeks.
        case link
        /// A timer, and each of its turns, which stay for days.
        case timer
        /// A request and its answer.
        case request
        /// A change of a registration that is kept.
        case registration
        /// A grant that was taken back.
        case revocation

        /// The share, in percent of the store.
        ///
        /// Source: our choice; registrations stay longest and cost a stranger least, requests are gone after minutes.
        package var percentMax: Int {
            switch self {
            case .newRegistration, .link: 70
            case .timer: 75
            case .request: 85
            case .registration: 90
            case .revocation: 98
            }
        }
    }

    /// How much is in use.
    package let used: Int
    package let max: Int

    package init(used: Int, max: Int) {
        self.used = used
        self.max = max
    }

    /// Returns whether one more of a kind is let in.
    package func has(roomFor kind: Kind) -> Bool { self.used < self.max / 100 * kind.percentMax }
}

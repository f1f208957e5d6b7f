/// How full the store is, and which kinds of row it still accepts.
///
/// As the store fills up, it first rejects rows that strangers can add, and last rows that withdraw consent. So a store that strangers fill
/// still accepts revocations, and can be opened and pruned.
package struct StoreRoom: Sendable, Hashable {
    /// A kind of row, with the fill level up to which it is accepted.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// The registration of a device of a new sharer.
        case newRegistration
        /// A link, which is stored for weeks.
        case link
        /// The enrolment of a volunteer, which is stored until the person leaves.
        case enrolment
        /// A schedule and each of its occurrences, which are stored for days.
        case schedule
        /// A request and its answer.
        case request
        /// A change to a stored registration.
        case registration
        /// A revoked grant.
        case revocation

        /// The fill level, in percent.
        ///
        /// Source: our choice; registrations are stored longest and cost a stranger least, requests are deleted after minutes.
        package var percentMax: Int {
            switch self {
            case .newRegistration, .link, .enrolment: 70
            case .schedule: 75
            case .request: 85
            case .registration: 90
            case .revocation: 98
            }
        }
    }

    /// The used size of the store.
    package let used: Int
    package let max: Int

    package init(used: Int, max: Int) {
        self.used = used
        self.max = max
    }

    /// Returns whether the store accepts one more row of a kind.
    package func has(roomFor kind: Kind) -> Bool { self.used < self.max / 100 * kind.percentMax }
}

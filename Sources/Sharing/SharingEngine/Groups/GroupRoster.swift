internal import WhereaboutsVocabulary

/// The founder's signed list of a group's members; each version replaces all earlier ones.
package struct GroupRoster: Sendable, Hashable {
    package struct Member: Sendable, Hashable {
        package let person: PublicIdentity
        /// The founder's name for them, or their own name for themselves; at most ``SharingGroup/nameBytesMax`` bytes.
        package let name: String

        package init(person: PublicIdentity, name: String) {
            self.person = person
            let shown = GivenName.shown(name, bytesMax: SharingGroup.nameBytesMax)
            self.name = shown.isEmpty ? "member" : shown
        }
    }

    package let group: GroupID
    package let founder: PublicIdentity
    /// Each version has a greater number than the previous one.
    package let number: UInt64
    /// The secret from which the addresses of the grants between members are derived.
    package let seed: [UInt8]
    /// The founder and the confirmed members, at most ``SharingGroup/membersMax``.
    package let members: [Member]

    package init(group: GroupID, founder: PublicIdentity, number: UInt64, seed: [UInt8], members: [Member]) {
        self.group = group
        self.founder = founder
        self.number = number
        self.seed = seed
        self.members = members
    }
}

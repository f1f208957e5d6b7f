public import WhereaboutsSharing

extension [Follower] {
    /// A line for the person whose device is followed.
    ///
    /// - Parameter profile: theirs, which knows the names of their friends.
    /// - Returns: the line; with a friend's number where they have no name.
    public func words(in profile: SharingProfile) -> String {
        let friends = self.map {
            profile.title(of: $0.requester) ?? "the friend with the number \($0.requester.safetyNumber)"
        }
        return friends.isEmpty
            ? "nobody follows you any more"
            : "following you: \(friends.joined(separator: ", ")) (whereabouts followers --end)"
    }
}

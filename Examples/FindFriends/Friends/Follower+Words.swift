public import WhereaboutsSharing

extension [Follower] {
    /// A line for the person whose device is followed.
    ///
    /// - Parameters:
    ///   - profile: theirs, which knows the names of their friends.
    ///   - screen: the screen that shows the line.
    /// - Returns: the line; with a friend's number where they have no name.
    public func words(in profile: SharingProfile, on screen: Screen.Kind = .this) -> String {
        guard !self.isEmpty else { return "nobody follows you any more" }
        let friends = self.map {
            profile.title(of: $0.requester) ?? "the friend with the number \($0.requester.safetyNumber)"
        }
        let remedy =
            switch screen {
            case .phone: "open Followers in FindFriends to end it"
            case .terminal: "whereabouts followers --end"
            }
        return "following you: \(friends.joined(separator: ", ")) (\(remedy))"
    }
}

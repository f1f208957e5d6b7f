public import WhereaboutsSharing

extension Question {
    /// A line for the person who is asked.
    ///
    /// - Parameters:
    ///   - profile: theirs, which knows the names of their friends.
    ///   - screen: the screen that shows the line.
    /// - Returns: the line; with a friend's number where they have no name.
    public func words(in profile: SharingProfile, on screen: Screen.Kind = .this) -> String {
        let friend = profile.title(of: self.requester) ?? "the friend with the number \(self.requester.safetyNumber)"
        let what = self.precision == .full ? "where you are" : "roughly where you are"
        let remedy =
            switch screen {
            case .phone: "open FindFriends"
            case .terminal: "whereabouts questions --yes"
            }
        return "\(friend) asks \(what): say yes within 20 s, or they are refused (\(remedy))"
    }
}

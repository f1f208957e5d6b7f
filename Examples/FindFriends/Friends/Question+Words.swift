public import WhereaboutsSharing

extension Question {
    /// A line for the person who is asked.
    ///
    /// - Parameter profile: theirs, which knows the names of their friends.
    /// - Returns: the line; with a friend's number where they have no name.
    public func words(in profile: SharingProfile) -> String {
        let friend = profile.title(of: self.requester) ?? "the friend with the number \(self.requester.safetyNumber)"
        let what = self.precision == .full ? "where you are" : "roughly where you are"
        return "\(friend) asks \(what): say yes within 20 s, or they are refused (whereabouts questions --yes)"
    }
}

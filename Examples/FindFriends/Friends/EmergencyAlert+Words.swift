public import WhereaboutsSharing

extension EmergencyAlert {
    /// A line for the volunteer; nil if there is nothing to say.
    ///
    /// - Parameter screen: the screen that shows the line.
    /// - Returns: the line.
    public func words(on screen: Screen.Kind = .this) -> String? {
        switch self.state {
        case .asking:
            let need =
                switch self.priority {
                case .arrest: "a heart stopped"
                case .danger: "a life is in danger"
                case .help: "somebody needs help"
                }
            let task = self.role == .patient ? "go there" : "fetch a defibrillator"
            let distance = self.metres.map { " \($0) m from you" } ?? ""
            let remedy =
                switch screen {
                case .phone: "open FindFriends"
                case .terminal: "whereabouts alerts --accept"
                }
            return "EMERGENCY: \(need)\(distance); can you \(task)? (\(remedy))"
        case .ended: return "You need not come: \(self.state.words)."
        case .locating, .outOfRange, .refused, .accepted, .onTheWay, .arrived, .withdrawn: return nil
        }
    }
}

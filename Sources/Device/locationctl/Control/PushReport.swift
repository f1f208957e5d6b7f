internal import WhereaboutsLocationWireMessages

extension WirePushAccounts {
    /// The outcomes of location pushes, for people.
    var text: String {
        let head = ["APP", "RECEIVED", "HANDED", "COMPLETED", "ABANDONED", "REPLACED", "REFUSED"]
        let counts = Table(rows: [head] + (self.apps + [self.total]).map(\.row))
        let lines = self.recent.map { line in
            "\(Timestamp.of(line.time))  \(line.bundle)  \(line.outcome)\(line.reason.isEmpty ? "" : ": \(line.reason)")"
        }
        return
            (["budget: \(self.budgetRemaining) of \(self.budgetCapacity)", "", "\(counts)"]
            + (lines.isEmpty ? [] : [""] + lines)).joined(separator: "\n")
    }
}

extension WirePushCounts {
    fileprivate var row: [String] {
        let refused = self.refused.reduce(0) { $0 &+ $1.count }
        let reasons = self.refused.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
        return [
            self.bundle.isEmpty ? "(all)" : self.bundle, "\(self.received)", "\(self.handed)", "\(self.completed)",
            "\(self.abandoned)", "\(self.replaced)", refused == 0 ? "0" : "\(refused) (\(reasons))",
        ]
    }
}

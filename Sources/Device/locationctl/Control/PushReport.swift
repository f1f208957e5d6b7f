internal import WhereaboutsLocationWireMessages

/// The ends of location pushes, as `locationctl pushes` shows it.
struct PushReport: Encodable {
    /// The ends of one app's pushes, or of all.
    struct Counts: Encodable {
        struct Refusals: Encodable {
            var reason: String
            var count: UInt64
        }

        /// Empty: of all apps.
        var bundle: String
        var received: UInt64
        var handed: UInt64
        var completed: UInt64
        var abandoned: UInt64
        var replaced: UInt64
        var refused: [Refusals]

        init(_ counts: WirePushCounts) {
            self.bundle = counts.bundle
            self.received = counts.received
            self.handed = counts.handed
            self.completed = counts.completed
            self.abandoned = counts.abandoned
            self.replaced = counts.replaced
            self.refused = counts.refused.map { Refusals(reason: $0.reason, count: $0.count) }
        }

        fileprivate var row: [String] {
            let refused = self.refused.reduce(0) { $0 + $1.count }
            let reasons = self.refused.map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
            return [
                self.bundle.isEmpty ? "(all)" : self.bundle, "\(self.received)", "\(self.handed)",
                "\(self.completed)", "\(self.abandoned)", "\(self.replaced)",
                refused == 0 ? "0" : "\(refused) (\(reasons))",
            ]
        }
    }

    /// The end of one push.
    struct Line: Encodable {
        var time: String
        var bundle: String
        var outcome: String
        var reason: String

        init(_ line: WirePushLine) {
            self.time = Timestamp.of(line.time)
            self.bundle = line.bundle
            self.outcome = line.outcome
            self.reason = line.reason
        }
    }

    var total: Counts
    var apps: [Counts]
    /// Oldest first.
    var recent: [Line]
    var budgetRemaining: UInt32
    var budgetCapacity: UInt32

    init(_ pushes: WirePushAccounts, last count: Int) {
        self.total = Counts(pushes.total)
        self.apps = pushes.apps.map(Counts.init)
        self.recent = pushes.recent.suffix(count).map(Line.init)
        self.budgetRemaining = pushes.budgetRemaining
        self.budgetCapacity = pushes.budgetCapacity
    }

    /// For people.
    var text: String {
        let head = ["APP", "RECEIVED", "HANDED", "COMPLETED", "ABANDONED", "REPLACED", "REFUSED"]
        let counts = Table(rows: [head] + (self.apps + [self.total]).map(\.row))
        let lines = self.recent.map { line in
            "\(line.time)  \(line.bundle)  \(line.outcome)\(line.reason.isEmpty ? "" : ": \(line.reason)")"
        }
        return
            (["budget: \(self.budgetRemaining) of \(self.budgetCapacity)", "", "\(counts)"]
            + (lines.isEmpty ? [] : [""] + lines)).joined(separator: "\n")
    }
}

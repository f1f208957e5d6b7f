internal import WhereaboutsLocationWireMessages

/// The way that polkit is asked who gives orders, as it is shown.
struct PolkitReport: Encodable {
    var answers: Bool
    /// Why it does not; absent: it does, or was not asked yet.
    var cause: String?
    var remedy: String?
    /// When that began.
    var since: String?
    /// The connections and answers since then that were refused without asking it.
    var refused: UInt64

    init(_ status: WirePolkitStatus) {
        self.answers = status.answers
        self.cause = status.cause.isEmpty ? nil : status.cause
        self.remedy = status.remedy.isEmpty ? nil : status.remedy
        self.since = status.since == 0 ? nil : Timestamp.of(status.since)
        self.refused = status.refused
    }

    /// For people; empty while nothing is wrong.
    var lines: [String] {
        guard let cause = self.cause else { return [] }
        return [
            "polkit     trouble since \(self.since ?? "?"): \(cause)",
            "           refused meanwhile: all but root and the group of --owners, also the person at the seat; \(self.refused) so far",
            "           → \(self.remedy ?? "locationctl doctor")",
        ]
    }
}

internal import WhereaboutsLocationWireMessages

extension WirePolkitStatus {
    /// The state of polkit, for people; empty unless polkit fails.
    var lines: [String] {
        guard !self.cause.isEmpty else { return [] }
        return [
            "polkit     trouble since \(self.since == 0 ? "?" : Timestamp.of(self.since)): \(self.cause)",
            "           refused meanwhile: all but root and the group of --owners, also the person at the seat; \(self.refused) so far",
            "           → \(self.remedy.isEmpty ? "locationctl doctor" : self.remedy)",
        ]
    }
}

internal import WhereaboutsLocationWireMessages

extension WireReceiverStatus {
    /// The state of the device's receiver, for people; empty if there is nothing to report.
    var lines: [String] {
        var facts = [self.driver, self.device].filter { !$0.isEmpty }
        if self.hasSatellitesSeen {
            facts.append("\(self.satellitesUsed) of \(self.satellitesSeen) satellites")
        } else if self.hasSatellitesUsed {
            facts.append("\(self.satellitesUsed) satellites")
        }
        if self.hasHdop { facts.append("HDOP \(Self.rounded(self.hdop))") }
        if self.hasRate { facts.append("\(Self.rounded(self.rate)) Hz") }
        var lines: [String] = facts.isEmpty ? [] : ["receiver   \(facts.joined(separator: ", "))"]
        if self.since > 0 { lines.append("           since \(Timestamp.of(self.since))") }
        if self.faults > 0 {
            lines.append("           \(self.faults) lines were invalid; the last one: \(self.fault)")
        }
        let refused = [
            (self.refused.late, "arrived late"), (self.refused.future, "are in the future"),
            (self.refused.disordered, "came after newer ones"), (self.refused.nowhere, "are at 0° north, 0° east"),
            (self.refused.outliers, "are where the device cannot be"),
        ]
        for (count, words) in refused where count > 0 {
            lines.append("           dropped \(count) fixes that \(words)")
        }
        let ahead = Self.rounded(Double(self.clockOffset) / -1e6)
        if ahead != 0 { lines.append("           its clock is \(ahead) s ahead of the device's") }
        return lines
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

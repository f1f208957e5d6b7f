internal import WhereaboutsLocationWireMessages

/// The receiver of the device as it is shown.
struct ReceiverReport: Encodable {
    /// When its state began, ISO 8601; absent where it is not known.
    var since: String?
    /// The seconds since the newest fix of this connection; absent: none came.
    var lastFixAge: Double?
    var driver: String
    var device: String
    var satellitesSeen: UInt32?
    var satellitesUsed: UInt32?
    var hdop: Double?
    /// Fixes a second.
    var rate: Double?
    /// The number of lines that made no sense, on this connection, and the fault of the newest.
    var faults: UInt32
    var fault: String
    /// The fixes that were held up on their way, since locationd began.
    var lateFixes: UInt64
    /// The fixes of a time to come, of a clock that was right.
    var futureFixes: UInt64
    /// The fixes that were measured before the one that was used last.
    var disorderedFixes: UInt64
    /// The fixes at 0° north, 0° east.
    var nowhereFixes: UInt64
    /// The fixes where the device cannot have got to.
    var outlierFixes: UInt64
    /// The seconds to add to the receiver's clock.
    var clockOffset: Double

    init(_ status: WireReceiverStatus) {
        if status.since > 0 { self.since = Timestamp.of(status.since) }
        self.lastFixAge = status.hasLastFixAge && status.lastFixAge.isFinite ? status.lastFixAge : nil
        self.driver = status.driver
        self.device = status.device
        self.satellitesSeen = status.hasSatellitesSeen ? status.satellitesSeen : nil
        self.satellitesUsed = status.hasSatellitesUsed ? status.satellitesUsed : nil
        self.hdop = status.hasHdop && status.hdop.isFinite ? status.hdop : nil
        self.rate = status.hasRate && status.rate.isFinite ? status.rate : nil
        self.faults = status.faults
        self.fault = status.fault
        self.lateFixes = status.refused.late
        self.futureFixes = status.refused.future
        self.disorderedFixes = status.refused.disordered
        self.nowhereFixes = status.refused.nowhere
        self.outlierFixes = status.refused.outliers
        self.clockOffset = Double(status.clockOffset) / 1e6
    }

    /// For people; empty while there is nothing to tell.
    var lines: [String] {
        var facts: [String] = []
        if !self.driver.isEmpty { facts.append(self.driver) }
        if !self.device.isEmpty { facts.append(self.device) }
        if let seen = self.satellitesSeen {
            facts.append("\(self.satellitesUsed ?? 0) of \(seen) satellites")
        } else if let used = self.satellitesUsed {
            facts.append("\(used) satellites")
        }
        if let hdop = self.hdop { facts.append("HDOP \(Self.rounded(hdop))") }
        if let rate = self.rate { facts.append("\(Self.rounded(rate)) Hz") }
        var lines: [String] = facts.isEmpty ? [] : ["receiver   \(facts.joined(separator: ", "))"]
        if let since = self.since { lines.append("           since \(since)") }
        if self.faults > 0 {
            lines.append("           \(self.faults) lines made no sense; the last one: \(self.fault)")
        }
        let refused = [
            (self.lateFixes, "were held up on their way"), (self.futureFixes, "say a time to come"),
            (self.disorderedFixes, "came after newer ones"), (self.nowhereFixes, "are at 0° north, 0° east"),
            (self.outlierFixes, "are where the device cannot be"),
        ]
        for (count, words) in refused where count > 0 {
            lines.append("           dropped \(count) fixes that \(words)")
        }
        if Self.rounded(self.clockOffset) != 0 {
            lines.append("           its clock is \(Self.rounded(-self.clockOffset)) s ahead of the device's")
        }
        return lines
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

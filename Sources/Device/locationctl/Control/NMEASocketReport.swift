internal import WhereaboutsLocationWireMessages

extension WireNMEASocketStatus {
    /// The state of the socket at which programs read NMEA 0183, for people.
    var lines: [String] {
        let users = self.others.isEmpty ? "" : ", also for \(self.others.joined(separator: " and "))"
        let count =
            switch self.readers.count {
            case 0: "nobody reads"
            case 1: "1 program reads"
            default: "\(self.readers.count) programs read, of \(self.readersMax) at most"
            }
        let accuracy = "\(self.authorization.words), \(self.reducedAccuracy ? "approximate" : "precise")"
        var lines = ["nmea       \(self.path), mode \(Self.octal(self.mode))\(users): \(count)"]
        if !self.readers.isEmpty { lines[0] += " (\(accuracy))" }
        if !self.fault.isEmpty { lines.append("           trouble: \(self.fault); restart locationd") }
        return lines
            + self.readers.map { reader in
                let program = reader.program.isEmpty ? "a program" : reader.program
                return "           \(program) (\(reader.pid)) of \(reader.user), since \(Timestamp.of(reader.since))"
            }
    }

    /// The mode of the file in octal, as for chmod; 0: the file is gone.
    private static func octal(_ mode: UInt32) -> String {
        if mode == 0 { return "none" }
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

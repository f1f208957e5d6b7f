internal import WhereaboutsLocationWireMessages

/// The socket at which programs read NMEA 0183, as it is shown.
struct NMEASocketReport: Encodable {
    /// A program that reads.
    struct Reader: Encodable {
        var pid: Int32
        /// Its own word for itself; empty: it is gone.
        var program: String
        var user: String
        /// When it connected.
        var since: String

        fileprivate init(_ status: WireNMEAReaderStatus) {
            self.pid = status.pid
            self.program = status.program
            self.user = status.user
            self.since = Timestamp.of(status.since)
        }

        fileprivate var text: String {
            "\(self.program.isEmpty ? "a program" : self.program) (\(self.pid)) of \(self.user), since \(self.since)"
        }
    }

    var path: String
    /// The mode of its file, such as `0600`; absent: the file is gone.
    var mode: String?
    /// The users who may read beside locationd's own and root.
    var others: [String]
    /// Why no further program can connect; absent: it can.
    var fault: String?
    var readers: [Reader]
    var readersMax: UInt32
    var authorization: String
    var reducedAccuracy: Bool

    init(_ status: WireNMEASocketStatus) {
        self.path = status.path
        self.mode = status.mode == 0 ? nil : Self.octal(status.mode)
        self.others = status.others
        self.fault = status.fault.isEmpty ? nil : status.fault
        self.readers = status.readers.map(Reader.init)
        self.readersMax = status.readersMax
        self.authorization = status.authorization.words
        self.reducedAccuracy = status.reducedAccuracy
    }

    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// For people.
    var lines: [String] {
        let users = self.others.isEmpty ? "" : ", also for \(self.others.joined(separator: " and "))"
        let count =
            switch self.readers.count {
            case 0: "nobody reads"
            case 1: "1 program reads"
            default: "\(self.readers.count) programs read, of \(self.readersMax) at most"
            }
        let accuracy = "\(self.authorization), \(self.reducedAccuracy ? "approximate" : "precise")"
        var lines = ["nmea       \(self.path), mode \(self.mode ?? "none")\(users): \(count)"]
        if !self.readers.isEmpty { lines[0] += " (\(accuracy))" }
        if let fault = self.fault { lines.append("           trouble: \(fault); start locationd anew") }
        return lines + self.readers.map { "           \($0.text)" }
    }
}

/// A bound of the device that was reached, or a refusal, as its owner counts them (docs/bounds.md).
public enum Bound: String, Sendable, Hashable, CaseIterable {
    /// A text of an app was cut: the title of a live activity, a purpose.
    case textsCut = "texts-cut"
    /// A live activity was left out, because its app shows as many as it may.
    case indicatorsLeftOut = "indicators-left-out"
    /// The lists of an answer to the owner were left out, because the answer would not fit a packet.
    case answersShortened = "answers-shortened"
    /// A message was too long for a packet, and was not sent.
    case messagesTooLong = "messages-too-long"
    /// A connection was refused, because its process is not an installed app.
    case strangersRefused = "strangers-refused"
    /// A connection was refused: beyond the limit of an app or a user, or to a socket of the owner.
    case connectionsRefused = "connections-refused"
    /// A connection was closed because its process is not the accepted one.
    case impostorsCutOff = "impostors-cut-off"
    /// A connection was closed because its peer sent an invalid message.
    case garbageCutOff = "garbage-cut-off"
    /// A connection was closed, because its peer did not read.
    case readersCutOff = "readers-cut-off"
    /// A connection to the owner's sockets was refused: from another user, or an app.
    case ownersRefused = "owners-refused"
    /// An app was ended, because it left too many orphaned processes to locationd.
    case forkersEnded = "forkers-ended"
    /// A warning about connections was left out of the log, because there were many of its kind.
    case notesLeftOut = "notes-left-out"
    /// A line of the owner's log waited, or was lost, because the disk refused it.
    case logLinesWaited = "log-lines-waited"
    /// A connection to the NMEA 0183 socket was refused: from another user, an app, or beyond the limit.
    case nmeaReadersRefused = "nmea-readers-refused"
    /// The gateway was not read from for a while, because it delivered too many pushes.
    case gatewayHeld = "gateway-held"
    /// A push beyond the limit was not accepted; the gateway sends it again.
    case pushesLeft = "pushes-left"
    /// An answer of the geocoding server was too long.
    case placesRefused = "places-refused"
    /// A stored push was set aside, because it could not be read, or crashed an earlier service.
    case pushesSetAside = "pushes-set-aside"
}

/// How often each bound was reached since the service started.
public struct BoundCounts: Sendable, Hashable {
    private var counts: [Bound: UInt64] = [:]

    /// Creates counts of zero.
    public init() {}

    /// How often a bound was reached.
    public subscript(bound: Bound) -> UInt64 { self.counts[bound] ?? 0 }

    /// Counts that a bound was reached.
    public mutating func count(_ bound: Bound, times: Int = 1) {
        guard times > 0 else { return }
        let (sum, overflow) = self[bound].addingReportingOverflow(UInt64(times))
        self.counts[bound] = overflow ? .max : sum
    }

    /// Returns the sums of two counts.
    public static func + (one: BoundCounts, other: BoundCounts) -> BoundCounts {
        var sum = one
        for bound in Bound.allCases { sum.count(bound, times: Int(clamping: other[bound])) }
        return sum
    }
}

internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Prints a request as it goes on: a table for people, in colour on a terminal; or one JSON object per state.
struct RequestPrinter {
    private struct Line: Encodable {
        struct Position: Encodable {
            let latitude: Double
            let longitude: Double
            let accuracy: Double
            let ageSeconds: Double
            let altitude: Double?
            let course: Double?
            let speed: Double?
        }
        struct Device: Encodable {
            let startedMs: Int
            let fixMs: Int
            let sealedMs: Int
        }
        let state: String
        let elapsedMs: Int
        let reason: String
        /// From when on the next request is taken, RFC 3339; absent when nobody said.
        let until: String?
        let device: Device?
        let position: Position?
        /// How far this machine's clock is ahead of the server's, negative when behind; absent while they agree.
        let clockAheadSeconds: Int64?
    }

    private let isJSON: Bool
    private let isColoured: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
        let environment = ProcessInfo.processInfo.environment
        // https://no-color.org, and terminals that cannot.
        let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
        self.isColoured = !isJSON && !isPlain && isatty(STDOUT_FILENO) == 1
    }

    /// Prints a state.
    func show(_ update: RequestUpdate) throws {
        guard !self.isJSON else { return try printJSON(Self.line(update, now: .now)) }
        let kind = update.state.kind
        let colour = kind == .answered ? "32" : kind.isFinal ? "31" : "36"
        let name = kind.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
        let elapsed = "\(Self.milliseconds(update.elapsed)) ms"
        let pad = String(repeating: " ", count: max(0, 10 - elapsed.count))
        try printLine("\(pad)\(elapsed)  \(self.coloured(name, colour))\(update.state.reason)")
        if let until = Self.until(update, now: .now) {
            try printLine("               ask again at \(until) or later")
        }
        guard let timings = update.answer?.timings else { return }
        // An app that cannot tell when the push came counts from where its extension began.
        let begin =
            timings.started == .zero
            ? "since the extension began: "
            : "since the push: extension after \(Self.milliseconds(timings.started)) ms, "
        try printLine(
            "               on the device, " + begin
                + "\(Self.outcome(update.answer)) after \(Self.milliseconds(timings.fix)) ms, sealed after \(Self.milliseconds(timings.sealed)) ms"
        )
    }

    /// Prints what the request came to.
    func end(_ update: RequestUpdate, now: WallTime) throws {
        guard !self.isJSON, case .fix(let fix) = update.answer?.content else { return }
        let (latitude, longitude) = (Self.degrees(fix.latitude), Self.degrees(fix.longitude))
        try printLine(
            "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
        )
        let metres = Self.number(fix.horizontalAccuracy, digits: 0)
        let found = FixAge(of: fix, in: update, now: now)
        let age = Self.number(found.age / .seconds(1), digits: 1)
        try printLine(
            "answered: \(latitude),\(longitude) ±\(metres) m, \(age) s old, in \(Self.milliseconds(update.elapsed)) ms"
        )
        guard let ahead = found.clockAhead?.components.seconds else { return }
        try printLine(
            "the age is by the server's clock: yours is \(abs(ahead)) s \(ahead < 0 ? "behind" : "ahead of") it; set it"
        )
    }

    /// The outcome of the measurement: a device that has no fix spends time on it, too.
    private static func outcome(_ answer: Answer?) -> String {
        switch answer?.content {
        case .fix: "fix"
        case .refusal, .unavailable, nil: "no fix"
        }
    }

    /// When one may ask again, in the zone of whoever asks.
    private static func until(_ update: RequestUpdate, now: WallTime) -> String? {
        guard update.state.kind == .tooSoon, update.state.time > now else { return nil }
        let date = Date(timeIntervalSince1970: update.state.time.timeIntervalSince1970.rounded(.up))
        return date.ISO8601Format(.init(timeZoneSeparator: .colon, timeZone: .current))
    }

    private func coloured(_ text: String, _ colour: String) -> String {
        self.isColoured ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }

    private static func line(_ update: RequestUpdate, now: WallTime) -> Line {
        var (position, ahead): (Line.Position?, Duration?)
        if case .fix(let fix) = update.answer?.content {
            let found = FixAge(of: fix, in: update, now: now)
            ahead = found.clockAhead
            position = Line.Position(
                latitude: fix.latitude,
                longitude: fix.longitude,
                accuracy: fix.horizontalAccuracy,
                ageSeconds: found.age / .seconds(1),
                altitude: fix.altitude,
                course: fix.course,
                speed: fix.speed
            )
        }
        let device = (update.answer?.timings).map {
            Line.Device(
                startedMs: self.milliseconds($0.started),
                fixMs: self.milliseconds($0.fix),
                sealedMs: self.milliseconds($0.sealed)
            )
        }
        return Line(
            state: update.state.kind.rawValue,
            elapsedMs: self.milliseconds(update.elapsed),
            reason: update.state.reason,
            until: self.until(update, now: now),
            device: device,
            position: position,
            clockAheadSeconds: ahead?.components.seconds
        )
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int((duration / .milliseconds(1)).rounded())
    }

    private static func degrees(_ value: Double) -> String {
        self.number(value, digits: 6)
    }

    private static func number(_ value: Double, digits: Int) -> String {
        String(format: "%.\(digits)f", value)
    }
}

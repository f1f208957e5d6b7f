internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Prints the progress of a request: a table for people, in colour on a terminal; or one JSON object for each state.
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
        /// The rule that decided, `unavailable` if the device has no position, otherwise the state.
        let code: String
        /// When the next request is accepted, RFC 3339; absent if unknown.
        let until: Moment?
        let device: Device?
        let position: Position?
        /// How far this machine's clock is ahead of the server's, negative when behind; absent if both agree.
        let clockAheadSeconds: Int64?
    }

    private let isJSON: Bool
    private let isColoured: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
        let environment = ProcessInfo.processInfo.environment
        // No colours if NO_COLOR is set (https://no-color.org), or the terminal has none.
        let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
        self.isColoured = !isJSON && !isPlain && isatty(STDOUT_FILENO) == 1
    }

    func show(_ update: RequestUpdate) throws {
        guard !self.isJSON else { return try printJSON(Self.line(update, now: .now)) }
        let kind = update.state.kind
        let colour = kind == .answered ? "32" : kind.isFinal ? "31" : "36"
        let name = kind.words.padding(toLength: 12, withPad: " ", startingAt: 0)
        let elapsed = "\(Self.milliseconds(update.elapsed)) ms"
        let pad = String(repeating: " ", count: max(0, 10 - elapsed.count))
        try printLine("\(pad)\(elapsed)  \(self.coloured(name, colour))\(Self.words(update, now: .now))")
    }

    private static func words(_ update: RequestUpdate, now: WallTime) -> String {
        guard let until = self.until(update, now: now) else { return update.state.reason }
        let wait = now.duration(to: until) / .seconds(1)
        let minutes = Int((wait / 60).rounded(.up))
        return
            "Try again after \(Moment(until).clock()) (in \(wait < 60 ? "\(Int(wait.rounded(.up))) s" : "\(minutes) min"))."
    }

    /// Prints how the request ended.
    func end(_ update: RequestUpdate, map: Bool, now: WallTime) throws {
        guard !self.isJSON, case .fix(let fix) = update.answer?.content else { return }
        let place = PlaceText(fix)
        if map { try printLine(place.map) }
        let found = FixAge(of: fix, in: update, now: now)
        let age = String(format: "%.1f", found.age / .seconds(1))
        try printLine(
            "answered: \(place.text), \(age) s old, in \(Self.milliseconds(update.elapsed)) ms"
        )
        guard let ahead = found.clockAhead?.components.seconds else { return }
        try printLine(
            "the age is by the server's clock: yours is \(abs(ahead)) s \(ahead < 0 ? "behind" : "ahead of") it; set it"
        )
    }

    /// When the next request is allowed.
    private static func until(_ update: RequestUpdate, now: WallTime) -> WallTime? {
        update.state.kind == .tooSoon && update.state.time > now ? update.state.time : nil
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
            code: update.answer?.content.code ?? update.state.code,
            until: self.until(update, now: now).map(Moment.init),
            device: device,
            position: position,
            clockAheadSeconds: ahead?.components.seconds
        )
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int((duration / .milliseconds(1)).rounded())
    }
}

extension RequestState.Kind {
    /// The state as text for people.
    var words: String { self == .tooSoon ? "too soon" : self.rawValue }
}

extension PlaceText {
    init(_ fix: SharedFix) {
        self.init(latitude: fix.latitude, longitude: fix.longitude, accuracy: fix.horizontalAccuracy)
    }
}

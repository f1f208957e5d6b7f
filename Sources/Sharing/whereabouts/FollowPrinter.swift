internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Prints a live share: a line for each event for people, or one JSON object.
struct FollowPrinter {
    private struct Line: Encodable {
        struct Position: Encodable {
            let latitude: Double
            let longitude: Double
            let accuracy: Double
            let measured: String
            let altitude: Double?
            let course: Double?
            let speed: Double?

            init(_ fix: SharedFix) {
                (self.latitude, self.longitude) = (fix.latitude, fix.longitude)
                self.accuracy = fix.horizontalAccuracy
                self.measured = FollowPrinter.text(fix.time)
                (self.altitude, self.course, self.speed) = (fix.altitude, fix.course, fix.speed)
            }
        }

        /// One of moving, still, unknown, silent, disturbed and ended.
        var event: String
        /// When the device created the update or ended the live share; absent for events detected on this side.
        var time: String?
        /// Since when the device has not moved.
        var since: String?
        var position: Position?
        /// How many updates before this one are missing.
        var missed: UInt32?
        var silentSeconds: Int64?
        /// The reason as a sentence for a person; `end` is the same reason as a word.
        var reason: String?
        var end: String?
    }

    private let isJSON: Bool
    private let requests: RequestPrinter

    init(isJSON: Bool) {
        self.isJSON = isJSON
        self.requests = RequestPrinter(isJSON: isJSON)
    }

    func show(_ update: FollowUpdate) throws {
        switch update {
        case .request(let update):
            try self.requests.show(update)
            if !self.isJSON, case .fix(let fix) = update.answer?.content {
                try printLine("\(Self.clock(fix.time))  \(Self.words(fix))")
            }
        case .place(let place, let time, let missed):
            if self.isJSON { return try printJSON(Self.line(place, time, missed)) }
            if missed > 0 {
                try printLine("          \(missed) \(missed == 1 ? "update" : "updates") before this one did not come")
            }
            try printLine("\(Self.clock(time))  \(Self.words(place))")
        case .silent(let time):
            let seconds = time.components.seconds
            if self.isJSON { return try printJSON(Line(event: "silent", silentSeconds: seconds)) }
            try printLine("          no update came for \(seconds) s; still waiting")
        case .disturbed(let words):
            if self.isJSON { return try printJSON(Line(event: "disturbed", reason: PlainText.of(words))) }
            try printLine("          \(PlainText.of(words))")
        case .ended(let reason, let words):
            // The reason's text is for both sides; here this person ended the live share.
            let words = reason == .byFollower ? "You stopped following." : PlainText.of(words)
            if self.isJSON { return try printJSON(Line(event: "ended", reason: words, end: "\(reason)")) }
            try printLine("ended: \(words)")
        }
    }

    private static func line(_ place: FollowedPlace, _ time: WallTime, _ missed: UInt32) -> Line {
        var line = Line(event: "moving", time: self.text(time), missed: missed)
        line.position = place.fix.map(Line.Position.init)
        switch place {
        case .moving: break
        case .still(_, let since):
            line.event = "still"
            line.since = self.text(since)
        case .unknown(let reason):
            line.event = "unknown"
            line.reason = PlainText.of(reason)
        }
        return line
    }

    private static func words(_ place: FollowedPlace) -> String {
        switch place {
        case .moving(let fix): self.words(fix)
        case .still(let fix, let since): "\(self.words(fix))  here since \(self.clock(since))"
        case .unknown(let reason): "no position: \(PlainText.of(reason))"
        }
    }

    private static func words(_ fix: SharedFix) -> String {
        PlaceText(fix).text + (fix.speed.map { String(format: "  %.1f m/s", $0) } ?? "")
    }

    /// The follower's local time, with its offset from UTC, because the sharer may be in another time zone.
    private static func clock(_ time: WallTime) -> String {
        let date = Date(timeIntervalSince1970: time.timeIntervalSince1970)
        let style = Date.ISO8601FormatStyle(timeZone: .current)
        return date.formatted(style.time(includingFractionalSeconds: false).timeZone(separator: .colon))
    }

    private static func text(_ time: WallTime) -> String {
        Date(timeIntervalSince1970: time.timeIntervalSince1970).formatted(.iso8601)
    }
}

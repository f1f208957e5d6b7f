internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The options that make a question a schedule.
struct ScheduleOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Repeat at this interval, 15m or more. The server asks; `whereabouts schedules` shows the answers.",
            valueName: "duration"
        ),
        transform: parseDuration
    )
    var every: Duration?
    @Option(
        help: ArgumentHelp(
            "When to stop repeating: a time such as 2026-12-24T18:00:00Z, or a duration; at most 31d.",
            valueName: "time|duration"
        )
    )
    var until: String?

    private static let everyMin = Duration.seconds(Int64(Repetition.everyMinutesMin) * 60)

    func validate() throws {
        guard (self.every == nil) == (self.until == nil) else {
            throw ValidationError("--every and --until belong together. Give both, or neither.")
        }
        if let every, every < Self.everyMin || every >= Repetition.lifetimeMax {
            throw ValidationError(
                "--every must be from 15m to less than 31d. To see somebody more often, use `whereabouts follow`."
            )
        }
        _ = try self.repetition(under: nil, now: .now)
    }

    /// Returns the schedule; nil for a single request.
    ///
    /// - Parameters:
    ///   - grant: the grant that must allow the schedule, if it is known yet.
    ///   - now: the time.
    /// - Returns: its terms.
    /// - Throws: `ValidationError` when the schedule is not allowed at all; ``SharingError`` when the grant does not allow it.
    func repetition(under grant: Grant?, now: WallTime) throws -> Repetition? {
        guard let every, let until else { return nil }
        let end = try Self.time(until, now: now)
        guard end > now.advanced(by: every), end <= now.advanced(by: Repetition.lifetimeMax) else {
            let most = Repetition.lifetimeMax.components.seconds / 86_400
            throw ValidationError(
                "--until must be later than the first --every interval and at most \(most) days away."
            )
        }
        if let grant {
            // The server's refusal would not say which rule applies.
            guard !grant.asksPerson else {
                throw SharingError(
                    .badText,
                    "They confirm each request themselves, so it cannot be repeated automatically. Ask without --every."
                )
            }
            let interval = Duration.seconds(Int64(grant.intervalMin))
            guard every >= interval else {
                throw SharingError(
                    .badText,
                    "The grant allows one request every \(words(seconds: Int(grant.intervalMin))). Give a longer --every."
                )
            }
        }
        return Repetition(everyMinutes: UInt16((every / .seconds(60)).rounded(.up)), until: end)
    }

    private static func time(_ text: String, now: WallTime) throws -> WallTime {
        if let date = try? Date(text, strategy: .iso8601) {
            return WallTime(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
        }
        guard let duration = try? parseDuration(text) else {
            throw ValidationError(
                "'\(text)' is not valid for --until. Give a time with its zone, for example 2026-12-24T18:00:00Z, or a duration, for example 7d."
            )
        }
        return now.advanced(by: duration)
    }
}

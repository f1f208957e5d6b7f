internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Prints the occurrences of a schedule: a line each for people, or one JSON object.
struct SchedulePrinter {
    private struct Line: Encodable {
        struct Position: Encodable {
            let latitude: Double
            let longitude: Double
            let accuracy: Double
            let measured: Moment
        }
        let schedule: String
        let occurrence: UInt16
        let time: Moment
        let state: String
        let reason: String
        /// The code of the state, as in the output of `whereabouts ask`.
        let code: String
        let position: Position?
    }

    private let isJSON: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Prints what is known about a schedule.
    func show(_ told: ScheduleOccurrences, of schedule: SharedSchedule, name: String?) throws {
        for occurrence in told.occurrences {
            if self.isJSON {
                try printJSON(Self.line(occurrence, of: schedule))
            } else {
                try printLine(Self.text(occurrence))
            }
        }
        guard !self.isJSON else { return }
        let whom = name ?? schedule.sharer.safetyNumber
        if let ended = told.ended {
            try printLine("\(whom) is no longer asked: \(ended.words)")
        } else if let next = told.next {
            try printLine("\(whom) is asked again at \(Moment(next).local)")
        }
    }

    static func text(_ occurrence: ScheduleOccurrence) -> String {
        let kind = occurrence.state.kind.words.padding(toLength: 12, withPad: " ", startingAt: 0)
        guard case .fix(let fix) = occurrence.answer?.content else {
            return "\(Moment(occurrence.time).local)  \(kind)\(occurrence.state.reason)"
        }
        return "\(Moment(occurrence.time).local)  \(kind)\(PlaceText(fix).text), measured \(Moment(fix.time).local)"
    }

    private static func line(_ occurrence: ScheduleOccurrence, of schedule: SharedSchedule) -> Line {
        var position: Line.Position?
        if case .fix(let fix) = occurrence.answer?.content {
            position = Line.Position(
                latitude: fix.latitude,
                longitude: fix.longitude,
                accuracy: fix.horizontalAccuracy,
                measured: Moment(fix.time)
            )
        }
        return Line(
            schedule: "\(schedule.request)",
            occurrence: occurrence.number,
            time: Moment(occurrence.time),
            state: occurrence.state.kind.rawValue,
            reason: occurrence.state.reason,
            code: occurrence.answer?.content.code ?? occurrence.state.code,
            position: position
        )
    }
}

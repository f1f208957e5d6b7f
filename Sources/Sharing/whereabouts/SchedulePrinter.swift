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
        let position: Position?
    }

    private let isJSON: Bool

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// Prints what is known about a schedule.
    func show(_ told: TimerTurns, of timer: SharedTimer, name: String?) throws {
        for turn in told.turns {
            if self.isJSON { try printJSON(Self.line(turn, of: timer)) } else { try printLine(Self.text(turn)) }
        }
        guard !self.isJSON else { return }
        let whom = name ?? timer.sharer.safetyNumber
        if let ended = told.ended {
            try printLine("\(whom) is asked no longer: \(ended.words)")
        } else if let next = told.next {
            try printLine("\(whom) is asked again at \(Moment(next).local)")
        }
    }

    private static func text(_ turn: TimerTurn) -> String {
        let kind = turn.state.kind.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
        guard case .fix(let fix) = turn.answer?.content else {
            return "\(Moment(turn.time).local)  \(kind)\(turn.state.reason)"
        }
        return "\(Moment(turn.time).local)  \(kind)\(PlaceText(fix).text), measured \(Moment(fix.time).local)"
    }

    private static func line(_ turn: TimerTurn, of timer: SharedTimer) -> Line {
        var position: Line.Position?
        if case .fix(let fix) = turn.answer?.content {
            position = Line.Position(
                latitude: fix.latitude,
                longitude: fix.longitude,
                accuracy: fix.horizontalAccuracy,
                measured: Moment(fix.time)
            )
        }
        return Line(
            schedule: "\(timer.request)",
            occurrence: turn.number,
            time: Moment(turn.time),
            state: turn.state.kind.rawValue,
            reason: turn.state.reason,
            position: position
        )
    }
}

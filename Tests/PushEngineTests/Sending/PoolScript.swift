internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// A transcript of a pool: in each line the seconds, an input, and after an arrow the effects.
///
/// `ok 1/3` is the answer 200 on stream 3 of connection 1; `send 7@1/3` the seventh push on that stream.
struct PoolScript {
    private static let wallStart = WallTime(seconds: 1_800_000_000)

    var pool = PushPool(pushesMax: 8, seed: 1)
    /// Seconds by which the wall clock was set forward.
    var clockJump: Duration = .zero

    /// Runs a transcript, and fails where an effect differs.
    mutating func run(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for line in script.split(separator: "\n") {
            let halves = line.split(separator: "->", maxSplits: 1)
            let words = halves[0].split(separator: " ").map(String.init)
            let expected = halves.count > 1 ? halves[1].trimmingCharacters() : ""
            guard let seconds = Double(words[0]), let input = Self.input(words, at: Self.at(seconds)) else {
                Issue.record("\(line) cannot be read", sourceLocation: sourceLocation)
                return
            }
            let effects = self.pool.handle(input, now: self.now(seconds)).map(Self.words).joined(separator: ", ")
            #expect(effects == expected, "\(line)", sourceLocation: sourceLocation)
            self.expectNothingBeforeTheDeadline(seconds, sourceLocation)
        }
    }

    /// A timer that fires too early changes nothing.
    private func expectNothingBeforeTheDeadline(_ seconds: Double, _ sourceLocation: SourceLocation) {
        let now = self.now(seconds)
        if let deadline = self.pool.deadline, deadline <= now.monotonic { return }
        var early = self.pool
        let effects = early.handle(.deadlineReached, now: now)
        #expect(effects.isEmpty, "a timer that rings early", sourceLocation: sourceLocation)
    }

    private func now(_ seconds: Double) -> Now {
        let wall = Self.wallStart.advanced(by: .seconds(seconds) + self.clockJump)
        return Now(monotonic: Self.at(seconds), wall: wall)
    }

    private static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    private static func input(_ words: [String], at now: EngineInstant) -> PushPool.Input? {
        let numbers = words.dropFirst(2).first?.split(separator: "/").compactMap { Int($0) } ?? []
        let (first, stream) = (numbers.first ?? 0, Int32(numbers.last ?? 0))
        let third = words.count > 3 ? words[3] : nil
        switch words[1] {
        case "submit":
            let timeout = third.flatMap { Double($0) } ?? 10
            return .submitted(ticket: UInt64(first), deadline: now.advanced(by: .seconds(timeout)))
        case "cancel": return .cancelled(ticket: UInt64(first))
        case "settings": return .settingsReceived(connection: first, streamsMax: third.flatMap { Int($0) })
        case "heard": return .heard(connection: first)
        case "ok": return .answered(connection: first, stream: stream, .accepted(.init()))
        case "no":
            guard let reason = third.flatMap(Reason.init(rawValue:)) else { return nil }
            let word = words.dropFirst(4).first.map { RelayWord(header: String($0)) }
            return .answered(connection: first, stream: stream, .rejected(reason, timestamp: nil, relay: word))
        case "odd": return .answered(connection: first, stream: stream, .unreadable(status: 502))
        case "refused": return .streamEnded(connection: first, stream: stream, isRefused: true)
        case "broken": return .streamEnded(connection: first, stream: stream, isRefused: false)
        case "goaway":
            return .goAwayReceived(connection: first, lastStream: stream, third.flatMap(Reason.init(rawValue:)))
        case "ended": return .connectionEnded(connection: first)
        case "timer": return .deadlineReached
        case "shutdown": return .shutdownBegan
        default: return nil
        }
    }

    private static func words(_ effect: PushPool.Effect) -> String {
        switch effect {
        case .makeToken(let number): "token \(number)"
        case .connect(let id): "connect \(id)"
        case .send(let ticket, let id, let stream): "send \(ticket)@\(id)/\(stream)"
        case .reset(let id, let stream): "reset \(id)/\(stream)"
        case .ping(let id): "ping \(id)"
        case .close(let id): "close \(id)"
        case .finish(let ticket, let outcome): "end \(ticket) \(Self.words(outcome))"
        case .ended: "all ended"
        case .note(.failed): "(failed)"
        case .note(.goAway(let reason)): "(goaway \(reason?.rawValue ?? "-"))"
        case .note(let note): "(\(note))"
        }
    }

    private static func words(_ outcome: PushPool.Outcome) -> String {
        switch outcome {
        case .answered(.accepted): "accepted"
        case .answered(.rejected(let reason, _, _)): reason.rawValue
        case .answered(.unreadable): "unreadable"
        case .timedOut(let wasSent): wasSent ? "late" : "late unsent"
        case .cancelled(let wasSent): wasSent ? "cancelled" : "cancelled unsent"
        case .lost, .unreachable, .refused, .full, .shutDown: "\(outcome)"
        }
    }
}

extension Substring {
    fileprivate func trimmingCharacters() -> String {
        String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

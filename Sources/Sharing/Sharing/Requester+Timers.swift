internal import WhereaboutsJSONReading
public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One occurrence of a schedule, as seen by its requester.
public struct TimerTurn: Sendable, Hashable {
    /// The number of the occurrence, from 1; the signed request has the number 0.
    public let number: UInt16
    /// When the occurrence began.
    public let time: WallTime
    /// The last state that the server reported.
    public let state: RequestState
    /// The device's answer, opened, if there is one.
    public let answer: Answer?
}

/// New occurrences of a schedule, and how it continues.
public struct TimerTurns: Sendable, Hashable {
    /// The occurrences, in order.
    ///
    /// Includes occurrences that the server does not report, because it was down at the time or omits them.
    public let turns: [TimerTurn]
    /// When the next occurrence begins; nil after the end.
    public let next: WallTime?
    /// Why the schedule ended; nil while it continues.
    public let ended: FollowingEnd.Reason?
}

extension Requester {
    /// Fetches the answers of a schedule, also answers that arrived while no program ran.
    ///
    /// The server stores the sealed answers for seven days, at most 168 of them.
    ///
    /// - Parameters:
    ///   - timer: the schedule, one of ``SharingProfile/outgoingTimers()``.
    ///   - turn: the number of the last known occurrence; 0 for all that the server stores.
    /// - Returns: the occurrences after that one.
    /// - Throws: ``SharingError`` when the server cannot be reached, or knows of no such schedule.
    public func turns(of timer: SharedTimer, after turn: UInt16 = 0) async throws -> TimerTurns {
        let own = try self.own(timer)
        let permit = ReadPermit(request: timer.request, requester: self.profile.identity.publicIdentity)
        let authorization = "Whereabouts \(Base64URL.text(of: try self.profile.identity.sign(permit).bytes))"
        var turns: [TimerTurn] = []
        var last = turn
        while true {
            let path = "/v1/requests/\(timer.request)/turns?after=\(last)"
            let response = try await self.server.fetch(path, authorization: authorization)
            guard response.status == 200 else { throw self.server.rejected(response) }
            let told = try JSONReader().decode(Wire.Turns.self, from: Data(response.body))
            // Skip repeated and reordered occurrences, with which a server could keep this loop running.
            for one in told.turns where one.turn > last {
                turns.append(self.opened(one, own))
                last = one.turn
            }
            guard told.turns.count >= TimerRecord.turnsPerReplyMax, told.turns.last?.turn == last else {
                let known = TimerAccount(of: own.request.value, after: turn, now: .now)
                let ended = told.ended.flatMap { FollowingEnd.Reason(rawValue: $0.reason) }
                self.profile.told(ended, of: timer.request)
                return TimerTurns(
                    turns: known.filled(turns),
                    next: told.next.map { WallTime(milliseconds: $0) },
                    ended: ended
                )
            }
        }
    }

    /// Ends a schedule; its earlier answers can still be fetched.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached; the schedule continues then.
    public func end(_ timer: SharedTimer) async throws {
        let author = self.profile.identity.publicIdentity
        let end = FollowingEnd(request: timer.request, author: author, time: .now, reason: .byFollower)
        let path = "/v1/requests/\(timer.request)/end"
        let response = try await self.server.post(path, self.profile.identity.sign(end).bytes)
        // 404 means that the schedule is over at the server, too.
        guard (200..<300).contains(response.status) || response.status == 404 else {
            throw self.server.rejected(response)
        }
        self.profile.told(.byFollower, of: timer.request)
    }

    private func own(_ timer: SharedTimer) throws -> OwnTimer {
        guard let own = self.profile.ownTimer(timer.request) else {
            throw SharingError(
                .badText,
                "this profile began no schedule \(timer.request); `whereabouts schedules` lists those it did"
            )
        }
        return own
    }

    private func opened(_ told: Wire.Turn, _ timer: OwnTimer) -> TimerTurn {
        let signed = timer.request.turn(told.turn)
        func turn(_ state: RequestState, _ answer: Answer? = nil) -> TimerTurn {
            TimerTurn(number: told.turn, time: signed.value.issued, state: state, answer: answer)
        }
        guard let state = told.state.state else {
            return turn(RequestState(.failed, at: .now, reason: "This version does not know the server's state."))
        }
        guard state.kind == .answered else { return turn(state) }
        do {
            guard let bytes = told.state.answer.flatMap({ Base64URL.bytes(of: $0) }) else {
                throw SharingError(.badBytes, "The server says answered but sends no answer.")
            }
            let sealed = try Signed<SealedAnswer>(bytes: bytes).verified().value
            guard sealed.sharer == signed.value.grant.value.sharer, sealed.request == signed.value.id else {
                throw SharingError(.badBytes, "The answer is not from the sharer, or not to this turn.")
            }
            let answer = try Answer(
                paddedBytes: self.sealing.open(sealed.sealed, with: timer.key, info: signed.info)
            )
            return switch answer.content {
            case .fix: turn(state, answer)
            case .refusal(let reason): turn(RequestState(.refused, at: state.time, reason: reason), answer)
            case .unavailable(let reason): turn(RequestState(.failed, at: state.time, reason: reason), answer)
            }
        } catch {
            return turn(RequestState(.failed, at: state.time, reason: "\(error)"))
        }
    }
}

/// The occurrences that a server must report, computed from the schedule's terms.
///
/// Comparing them with the server's report shows which ones it omits.
struct TimerAccount: Sendable {
    private let request: Request
    private let due: ClosedRange<UInt16>?

    init(of request: Request, after turn: UInt16, now: WallTime) {
        self.request = request
        // The server may not have stored a current occurrence yet, and has deleted old ones.
        let last = request.lastTurn(by: now - Repetition.turnLifetime) ?? 0
        let deleted = request.lastTurn(by: now - TimerRecord.kept) ?? 0
        let dropped = last > UInt16(TimerRecord.turnsMax) ? last - UInt16(TimerRecord.turnsMax) : 0
        let first = max(turn, deleted, dropped)
        self.due = last > first ? first + 1...last : nil
    }

    /// Returns the occurrences, including missing ones.
    func filled(_ turns: [TimerTurn]) -> [TimerTurn] {
        guard let due = self.due else { return turns }
        let known = Set(turns.map(\.number))
        let missing = due.filter { !known.contains($0) }.map { number in
            let time = self.request.turn(number).issued
            let reason = "The server says nothing of this turn: it was down at the time, or leaves it out."
            return TimerTurn(
                number: number,
                time: time,
                state: RequestState(.failed, at: time, reason: reason),
                answer: nil
            )
        }
        return (turns + missing).sorted { $0.number < $1.number }
    }
}

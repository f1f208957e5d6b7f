internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// One occurrence of a schedule, as seen by its requester.
public struct ScheduleOccurrence: Sendable, Hashable {
    /// The number of the occurrence, from 1; the signed request has the number 0.
    public let number: UInt16
    /// When the occurrence began.
    public let time: WallTime
    /// The last state that the server reported.
    public let state: RequestState
    /// The device's answer, opened, if there is one.
    public let answer: Answer?

    package init(number: UInt16, time: WallTime, state: RequestState, answer: Answer?) {
        self.number = number
        self.time = time
        self.state = state
        self.answer = answer
    }
}

/// New occurrences of a schedule, and how it continues.
public struct ScheduleOccurrences: Sendable, Hashable {
    /// The occurrences, in order.
    ///
    /// Includes occurrences that the server does not report, because it was down at the time or omits them.
    public let occurrences: [ScheduleOccurrence]
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
    ///   - schedule: the schedule, one of ``SharingProfile/outgoingSchedules()``.
    ///   - occurrence: the number of the last known occurrence; 0 for all that the server stores.
    /// - Returns: the occurrences after that one.
    /// - Throws: ``SharingError`` when the server cannot be reached, or knows of no such schedule.
    public func occurrences(
        of schedule: SharedSchedule,
        after occurrence: UInt16 = 0
    ) async throws -> ScheduleOccurrences {
        let own = try self.own(schedule)
        let permit = ReadPermit(request: schedule.request, requester: self.profile.identity.publicIdentity)
        let authorization = "Whereabouts \(Base64URL.text(of: try self.profile.identity.sign(permit).bytes))"
        var occurrences: [ScheduleOccurrence] = []
        var last = occurrence
        while true {
            let path = "/v1/requests/\(schedule.request)/occurrences?after=\(last)"
            let response = try await self.server.fetch(path, authorization: authorization)
            guard response.status == 200 else { throw self.server.rejected(response) }
            let told = try JSONReader().decode(Wire.Occurrences.self, from: Data(response.body))
            // Skip repeated and reordered occurrences, with which a server could keep this loop running.
            for one in told.occurrences where one.occurrence > last {
                occurrences.append(self.opened(one, own))
                last = one.occurrence
            }
            guard told.occurrences.count >= ScheduleRecord.occurrencesPerReplyMax,
                told.occurrences.last?.occurrence == last
            else {
                let known = ScheduleAccount(of: own.request.value, after: occurrence, now: .now)
                let ended = told.ended.flatMap { FollowingEnd.Reason(rawValue: $0.reason) }
                self.profile.schedules.told(ended, of: schedule.request)
                return ScheduleOccurrences(
                    occurrences: known.filled(occurrences),
                    next: told.next.map { WallTime(milliseconds: $0) },
                    ended: ended
                )
            }
        }
    }

    /// Ends a schedule; its earlier answers can still be fetched.
    ///
    /// - Throws: ``SharingError`` when the server cannot be reached; the schedule continues then.
    public func end(_ schedule: SharedSchedule) async throws {
        let author = self.profile.identity.publicIdentity
        let end = FollowingEnd(request: schedule.request, author: author, time: .now, reason: .byFollower)
        let path = "/v1/requests/\(schedule.request)/end"
        // 404 means that the schedule is over at the server, too.
        try self.server.accepted(await self.server.post(path, self.profile.identity.sign(end).bytes), or: 404)
        self.profile.schedules.told(.byFollower, of: schedule.request)
    }

    private func own(_ schedule: SharedSchedule) throws -> OwnSchedule {
        guard let own = self.profile.schedules.schedule(schedule.request) else {
            throw SharingError(
                .badText,
                "this profile started no schedule \(schedule.request); `whereabouts schedules` lists its schedules"
            )
        }
        return own
    }

    private func opened(_ told: Wire.Occurrence, _ schedule: OwnSchedule) -> ScheduleOccurrence {
        let signed = schedule.request.occurrence(told.occurrence)
        func occurrence(_ state: RequestState, _ answer: Answer? = nil) -> ScheduleOccurrence {
            ScheduleOccurrence(number: told.occurrence, time: signed.value.issued, state: state, answer: answer)
        }
        guard let state = told.state.state else {
            return occurrence(
                RequestState(.failed, at: .now, reason: "The server reports an unknown state. Update whereabouts.")
            )
        }
        guard state.kind == .answered else { return occurrence(state) }
        do {
            guard let bytes = told.state.answer.flatMap({ Base64URL.bytes(of: $0) }) else {
                throw SharingError(.badBytes, "The server reports an answer but does not send it.")
            }
            let sealed = try Signed<SealedAnswer>(bytes: bytes).verified().value
            guard sealed.sharer == signed.value.grant.value.sharer, sealed.request == signed.value.id else {
                throw SharingError(.badBytes, "The answer is not from the sharer, or not to this occurrence.")
            }
            let answer = try Answer(
                paddedBytes: self.sealing.open(sealed.sealed, with: schedule.key, info: signed.info)
            )
            return occurrence(RequestState(answer.content, told: state), answer)
        } catch {
            return occurrence(RequestState(.failed, at: state.time, reason: "\(error)"))
        }
    }
}

/// The occurrences that a server must report, computed from the schedule's terms.
///
/// Comparing them with the server's report shows which ones it omits.
struct ScheduleAccount: Sendable {
    private let request: Request
    private let due: ClosedRange<UInt16>?

    init(of request: Request, after occurrence: UInt16, now: WallTime) {
        self.request = request
        // The server may not have stored a current occurrence yet, and has deleted old ones.
        let last = request.lastOccurrence(by: now - Repetition.occurrenceLifetime) ?? 0
        let deleted = request.lastOccurrence(by: now - ScheduleRecord.kept) ?? 0
        let dropped = last > UInt16(ScheduleRecord.occurrencesMax) ? last - UInt16(ScheduleRecord.occurrencesMax) : 0
        let first = max(occurrence, deleted, dropped)
        self.due = last > first ? first + 1...last : nil
    }

    /// Returns the occurrences, including missing ones.
    func filled(_ occurrences: [ScheduleOccurrence]) -> [ScheduleOccurrence] {
        guard let due = self.due else { return occurrences }
        let known = Set(occurrences.map(\.number))
        let missing = due.filter { !known.contains($0) }.map { number in
            let time = self.request.occurrence(number).issued
            let reason = "The server reports nothing for this time: it may have been down, or it omits the result."
            return ScheduleOccurrence(
                number: number,
                time: time,
                state: RequestState(.failed, at: time, reason: reason),
                answer: nil
            )
        }
        return (occurrences + missing).sorted { $0.number < $1.number }
    }
}

internal import Foundation
internal import GRDB
internal import WhereaboutsJSONReading
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Converts requests to rows, and rows to requests.
extension SQLiteTransaction {
    static func record(_ row: Row, _ policy: SharingPolicy) throws -> RequestRecord {
        let history = try JSONReader().decode([Wire.State].self, from: row["history"] as Data).compactMap(\.state)
        guard let state = self.state(row) else {
            throw SharingError(
                .badProfile,
                "a request in the database has an unknown state; run the server version that wrote it"
            )
        }
        let request = try Signed<Request>(bytes: [UInt8](row["signed"] as Data))
        return RequestRecord(
            request: request,
            life: RequestLife(
                restoring: state,
                history: history,
                expires: WallTime(milliseconds: row["expires"]),
                policy: request.value.occurrence == 0 ? policy : policy.ofOccurrences
            ),
            answer: (row["answer"] as Data?).map { [UInt8]($0) },
            device: try self.device(row)
        )
    }

    static func following(_ row: Row) throws -> FollowingRecord {
        FollowingRecord(
            request: try Signed<Request>(bytes: [UInt8](row["signed"] as Data)),
            end: try self.end(row),
            keptUntil: WallTime(milliseconds: row["kept_until"]),
            device: try self.device(row)
        )
    }

    private static func device(_ row: Row) throws -> ToldDevice {
        guard let device = ToldDevice(rawValue: row["told_device"]) else {
            throw SharingError(
                .badProfile,
                "a row in the database has an unknown device; run the server version that wrote it"
            )
        }
        return device
    }

    /// The signed end of a live share or a schedule.
    static func end(_ row: Row) throws -> FollowingRecord.End? {
        let reason = (row["reason"] as Int64?).flatMap { UInt8(exactly: $0) }.flatMap {
            FollowingEnd.Reason(rawValue: $0)
        }
        let statement = (row["end"] as Data?).map { [UInt8]($0) }
        guard (reason == nil) == (statement == nil) else {
            throw SharingError(
                .badProfile,
                "an end in the database has an unknown reason; run the server version that wrote it"
            )
        }
        return reason.flatMap { reason in statement.map { .init(reason: reason, statement: $0) } }
    }

    static func columns(
        _ state: RequestLife.State
    ) -> (state: String, nextPush: WallTime?, giveUp: WallTime?) {
        let (kind, nextPush, giveUp) = self.kind(state)
        return (kind?.rawValue ?? self.waiting, nextPush, giveUp)
    }

    /// The name of the state `waiting`, which requesters do not see.
    private static let waiting = "waiting"

    private static func kind(
        _ state: RequestLife.State
    ) -> (kind: RequestState.Kind?, nextPush: WallTime?, giveUp: WallTime?) {
        switch state {
        case .waiting(let nextPush, let giveUp): (nil, nextPush, giveUp)
        case .accepted(let nextPush, let giveUp): (.accepted, nextPush, giveUp)
        case .pushed(let giveUp): (.pushed, nil, giveUp)
        case .woken(let giveUp): (.woken, nil, giveUp)
        case .locating(let giveUp): (.locating, nil, giveUp)
        case .asking(let giveUp): (.asking, nil, giveUp)
        case .answered: (.answered, nil, nil)
        case .unreachable: (.unreachable, nil, nil)
        case .expired: (.expired, nil, nil)
        case .failed: (.failed, nil, nil)
        case .skipped: (.tooSoon, nil, nil)
        }
    }

    private static func state(_ row: Row) -> RequestLife.State? {
        self.state(
            row["state"],
            nextPush: (row["next_push"] as Int64?).map { WallTime(milliseconds: $0) },
            giveUp: (row["give_up"] as Int64?).map { WallTime(milliseconds: $0) }
        )
    }

    static func state(_ name: String, nextPush: WallTime?, giveUp: WallTime?) -> RequestLife.State? {
        if let nextPush, let giveUp, name == self.waiting {
            return .waiting(nextPush: nextPush, giveUp: giveUp)
        }
        switch (RequestState.Kind(rawValue: name), nextPush, giveUp) {
        case (.accepted, .some(let nextPush), .some(let giveUp)): return .accepted(nextPush: nextPush, giveUp: giveUp)
        case (.pushed, _, .some(let giveUp)): return .pushed(giveUp: giveUp)
        case (.woken, _, .some(let giveUp)): return .woken(giveUp: giveUp)
        case (.locating, _, .some(let giveUp)): return .locating(giveUp: giveUp)
        case (.asking, _, .some(let giveUp)): return .asking(giveUp: giveUp)
        case (.answered, _, _): return .answered
        case (.unreachable, _, _): return .unreachable
        case (.expired, _, _): return .expired
        case (.failed, _, _): return .failed
        case (.tooSoon, _, _): return .skipped
        default: return nil
        }
    }
}

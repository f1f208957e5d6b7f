public import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A sender of the relay and its account, for the sender itself and the operator.
public struct SenderReport: Codable, Sendable, Hashable {
    /// The maximum number of days in one report.
    public static let daysMax = 31

    /// The pushes that were sent on a day (UTC).
    public struct Day: Codable, Sendable, Hashable {
        /// The day, as in 2026-11-23.
        public let day: String
        /// The pushes that were sent, or may have been.
        public let sent: Int
        /// Pushes that Apple accepted.
        public let accepted: Int
        /// Pushes that Apple rejected, by reason.
        public let rejected: [String: Int]
        /// Pushes without an answer from Apple, or without one yet.
        public let unanswered: Int
    }

    /// The key, as `TEAM:KEY`.
    public let sender: String
    /// Whether the sender's key is in force; otherwise the key was removed.
    public let hasKey: Bool
    /// The maximum number of pushes relayed in a day; nil if the key was removed, or added again without this number.
    public let pushesADay: Int?
    /// The relayed apps, sorted; may be empty for a sender if this gateway relays none of its apps.
    public let apps: [String]
    /// The number of pushes in progress.
    public let underWay: Int
    /// Until when the sender must wait because of its mistakes; nil if it need not wait.
    public let waitsUntil: Date?
    /// The days among the last ``daysMax``, the newest first; days without pushes are omitted.
    public let days: [Day]

    init(
        _ name: Sender.Name,
        key: SenderKey?,
        days: [SenderDay],
        relayedApps: Set<String>,
        underWay: Int,
        waits: Duration?,
        now: WallTime
    ) {
        self.sender = name.description
        self.hasKey = key != nil
        self.pushesADay = key?.pushesADay
        self.apps = self.pushesADay == nil ? [] : key?.scope.apps(among: relayedApps).sorted() ?? []
        self.underWay = underWay
        self.waitsUntil = waits.map { Date(timeIntervalSince1970: now.advanced(by: $0).timeIntervalSince1970) }
        self.days = days.map { Day($0) }
    }

    /// The first day of a report.
    static func firstDay(now: Now) -> AccountDay { AccountDay(now.wall).before(days: Int64(Self.daysMax) - 1) }
}

extension SenderReport.Day {
    fileprivate init(_ day: SenderDay) {
        let start = Date(timeIntervalSince1970: day.day.start.timeIntervalSince1970)
        self.init(
            day: start.formatted(.iso8601.year().month().day()),
            sent: day.account.sent,
            accepted: day.account.accepted,
            rejected: Dictionary(
                uniqueKeysWithValues: day.account.rejected.map { ($0.reason.rawValue, $0.count) }
            ),
            unanswered: day.account.unanswered
        )
    }
}

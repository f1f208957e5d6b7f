internal import Foundation
internal import WhereaboutsLocationEngine

extension EngineSnapshot {
    /// Removes what apps can declare again, from the largest app on, until the encoded snapshot is this many bytes smaller.
    ///
    /// Decisions stay.
    ///
    /// - Returns: the apps that lost something, the largest first.
    mutating func shorten(by bytes: Int) -> [String] {
        let encoder = JSONEncoder()
        func size(_ record: AppRecord) -> Int { (try? encoder.encode(record).count) ?? 0 }
        let savings = self.apps.enumerated().map { index, app in (index, size(app) - size(app.withoutClaims)) }
            .filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
        var rest = bytes
        var shortened: [String] = []
        for (index, saved) in savings {
            if rest <= 0 { break }
            rest -= saved
            self.apps[index] = self.apps[index].withoutClaims
            shortened.append(self.apps[index].bundle)
        }
        return shortened
    }
}

extension EngineSnapshot.AppRecord {
    /// The record without the lists that the app itself makes longer.
    fileprivate var withoutClaims: Self {
        var record = self
        (record.conditions, record.sessions, record.liveUpdates) = ([], [], [])
        (record.liveActivities, record.travels) = ([], [])
        return record
    }
}

package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

/// A store that also keeps volunteers, incidents and alerts.
package protocol ResponderStore: Sendable {
    /// Returns at most `max` rows after a key, in the order of their keys.
    func responders(after key: ResponderRow.Key?, max: Int) async throws -> [ResponderRow]

    /// Writes rows together, so that they survive a power failure, and deletes some rows whose time has passed.
    func keep(_ rows: [ResponderRow], now: WallTime) async throws
}

/// A client's wishes, by its properties, stored unchanged and used as far as they are valid.
package struct Wishes: Sendable, Hashable {
    /// The claimed name of its `.desktop` file; empty: none so far.
    package var desktopID = ""
    /// Metres before the next update.
    package var distance: UInt32 = 0
    /// Seconds before the next update.
    package var time: UInt32 = 0
    /// The number of an ``AccuracyLevel``, by default GeoClue's own.
    package var level = AccuracyLevel.city.rawValue

    /// Creates the wishes of a new client.
    package init() {}

    /// The service that locationd is asked for.
    package struct Service: Sendable, Hashable {
        /// The distance until the next update in millimetres; negative: every update.
        package var distanceFilter: Int32
        /// Whether reduced accuracy is not enough.
        package var needsFullAccuracy: Bool
    }

    /// The service that fulfils them.
    ///
    /// - Parameter cap: the most that the person's desktop allows all programs.
    /// - Returns: the service.
    package func service(under cap: AccuracyLevel) -> Service {
        let (millimetres, overflow) = Int32(clamping: self.distance).multipliedReportingOverflow(by: 1000)
        return Service(
            distanceFilter: self.distance == 0 ? -1 : overflow ? .max : millimetres,
            needsFullAccuracy: min(AccuracyLevel(number: self.level), cap).needsFullAccuracy
        )
    }
}

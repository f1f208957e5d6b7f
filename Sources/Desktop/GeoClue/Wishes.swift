/// The wishes of a client, by its properties; kept as they were written, and used as far as they make sense.
package struct Wishes: Sendable, Hashable {
    /// The name of its `.desktop` file, as it says; empty: it has not said.
    package var desktopID = ""
    /// Metres before the next update.
    package var distance: UInt32 = 0
    /// Seconds before the next update.
    package var time: UInt32 = 0
    /// The number of an ``AccuracyLevel``; the default is GeoClue's own.
    package var level = AccuracyLevel.city.rawValue

    /// Creates the wishes of a client that has not said any.
    package init() {}

    /// The service that locationd is asked for.
    package struct Service: Sendable, Hashable {
        /// The way before the next update in millimetres; negative: every one.
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

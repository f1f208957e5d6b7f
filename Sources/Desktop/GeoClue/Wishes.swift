/// The properties that a client has set, stored unchanged; invalid values are ignored when they are used.
package struct Wishes: Sendable, Hashable {
    /// The name of the `.desktop` file that the program claims; empty: none so far.
    package var desktopID = ""
    /// The minimum distance between two updates, in metres.
    package var distance: UInt32 = 0
    /// The minimum time between two updates, in seconds.
    package var time: UInt32 = 0
    /// The requested ``AccuracyLevel``, by its number; the default is GeoClue's.
    package var level = AccuracyLevel.city.rawValue

    /// Creates the wishes of a new client.
    package init() {}

    /// The service that is requested from locationd.
    package struct Service: Sendable, Hashable {
        /// The minimum distance between two updates in millimetres; negative: no filter.
        package var distanceFilter: Int32
        /// Whether reduced accuracy is not enough.
        package var needsFullAccuracy: Bool
    }

    /// The service for these wishes.
    ///
    /// - Parameter cap: the highest accuracy that the person's desktop allows programs.
    /// - Returns: the service.
    package func service(under cap: AccuracyLevel) -> Service {
        let (millimetres, overflow) = Int32(clamping: self.distance).multipliedReportingOverflow(by: 1000)
        return Service(
            distanceFilter: self.distance == 0 ? -1 : overflow ? .max : millimetres,
            needsFullAccuracy: min(AccuracyLevel(number: self.level), cap).needsFullAccuracy
        )
    }
}

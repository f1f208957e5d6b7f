extension Engine {
    /// The reason for ``nextDeadline``.
    public enum DeadlineReason: String, Sendable, Hashable, CaseIterable {
        /// To allow pushes again, when the push budget has refilled.
        case pushBudget = "push budget"
        /// To give up the search for a measurement, or to power a sensor down or up.
        case sensor
        /// To choose the next approximate place.
        case approximatePlace = "approximate place"
        /// To look for a position, or to stop looking, for the watched circles.
        case conditions
        /// To accept a single fix, because no second fix arrived.
        case evidence
        /// To look for a significant change or a visit.
        case travels
        /// To report the beacons in range.
        case ranging
        /// To end a launch that takes too long, or to suspend an app.
        case lifecycle
        /// To end a session, or the time in which it can be taken again.
        case sessions
        /// To allow an app to be launched again after it crashed.
        case relaunch
        /// To launch an app that has not accepted its event.
        case monitorEvent = "monitor event"
        /// To report that the gateway issued no push token.
        case pushToken = "push token"
        /// To warn, end or start a push extension, or to drop an expired push.
        case pushExtension = "push extension"
    }
}

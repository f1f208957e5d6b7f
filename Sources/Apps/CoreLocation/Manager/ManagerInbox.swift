/// The waiting calls of a manager's delegate, in order.
///
/// A plain position replaces a waiting plain position, and beacons replace waiting ones, so that a slow delegate receives the newest. Of
/// more than ``updatesMax`` waiting updates, the oldest is dropped. Other events are not limited.
struct ManagerInbox {
    enum Event: Sendable {
        /// The authorization may have changed.
        case authorization
        /// An update of the standard service, and the number of its run.
        case update(CLLocationUpdate, run: UInt64)
        /// A heading of a run of the compass; nil: the heading is unknown.
        case heading(CLHeading.Fields?, run: UInt64)
        /// The beacons in range during a ranging run, or an error.
        case ranged(Result<[CLBeacon.Fields], CLError>, of: RangedBeacons, run: UInt64)
        /// The answer to `requestLocation`.
        case answer(Result<CLLocation, CLError>)
        case call(@Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void)

        fileprivate var isUpdate: Bool {
            if case .update = self { true } else { false }
        }

        fileprivate var isPlainUpdate: Bool {
            if case .update(let update, _) = self { update.bits == 0 } else { false }
        }

        fileprivate var isHeading: Bool {
            if case .heading(.some, _) = self { true } else { false }
        }

        fileprivate var rangedBeacons: RangedBeacons? {
            if case .ranged(_, let beacons, _) = self { beacons } else { nil }
        }

        fileprivate var isAuthorization: Bool {
            if case .authorization = self { true } else { false }
        }
    }

    static var updatesMax: Int { 16 }

    private var events: [Event] = []

    /// Appends an event, or drops events that it makes obsolete.
    mutating func put(_ event: Event) {
        if event.isAuthorization, self.events.contains(where: \.isAuthorization) { return }
        if event.isPlainUpdate, self.events.last?.isPlainUpdate == true { self.events.removeLast() }
        if let beacons = event.rangedBeacons { self.events.removeAll { $0.rangedBeacons == beacons } }
        if event.isHeading, self.events.last?.isHeading == true { self.events.removeLast() }
        self.events.append(event)
        if event.isUpdate, self.events.count(where: \.isUpdate) > Self.updatesMax,
            let oldest = self.events.firstIndex(where: \.isUpdate)
        {
            self.events.remove(at: oldest)
        }
    }

    mutating func take() -> Event? {
        self.events.isEmpty ? nil : self.events.removeFirst()
    }
}

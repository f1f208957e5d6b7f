internal import Synchronization
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The streams of a manager that ranges beacons: one for each constraint, and one for each region of the deprecated call.
final class ManagerRanging: Sendable {
    private let client: LocationClient
    private let streams = Mutex<[RangedBeacons: ManagerStream]>([:])

    init(client: LocationClient) {
        self.client = client
    }

    var ranged: [RangedBeacons] { self.streams.withLock { Array($0.keys) } }

    /// Whether this run of a stream is the current one.
    func isOn(_ beacons: RangedBeacons, _ run: UInt64) -> Bool {
        self.streams.withLock { $0[beacons] }?.isOn(run) ?? false
    }

    /// Starts ranging; does nothing for beacons that are already ranged.
    func start(
        _ beacons: RangedBeacons,
        _ receive: @escaping @Sendable (Result<[CLBeacon.Fields], CLError>, _ run: UInt64) -> Void
    ) {
        let stream = self.streams.withLock { streams in
            let stream = streams[beacons] ?? ManagerStream(client: self.client)
            streams[beacons] = stream
            return stream
        }
        stream.start({ .ranging(WireBeaconIdentity(beacons.identity)) }) { update, run in
            if let result = Self.result(update) { receive(result, run) }
        }
    }

    /// Stops ranging; does nothing for beacons that are not ranged.
    func stop(_ beacons: RangedBeacons) { self.streams.withLock { $0.removeValue(forKey: beacons) }?.stop() }

    func stopAll() {
        let streams = self.streams.withLock { streams in
            defer { streams = [:] }
            return Array(streams.values)
        }
        for stream in streams { stream.stop() }
    }

    /// The beacons of an update, or the error for the delegate; nil: the delegate is not called.
    private static func result(_ update: WireUpdate?) -> Result<[CLBeacon.Fields], CLError>? {
        guard let update else { return .failure(CLError(.rangingUnavailable)) }
        if case .beacons(let ranged)? = update.element { return .success(ranged.beacons.map { CLBeacon.Fields($0) }) }
        let reasons = CLLocationUpdate(update)
        // Apple documents `rangingUnavailable` for switched-off location services.
        if reasons.authorizationDeniedGlobally { return .failure(CLError(.rangingUnavailable)) }
        if reasons.authorizationDenied || reasons.authorizationRestricted { return .failure(CLError(.denied)) }
        let isUnavailable =
            update.diagnostics & UInt32(WireBits.Update.rangingUnavailable) != 0 || reasons.accuracyLimited
        return isUnavailable ? .failure(CLError(.rangingUnavailable)) : nil
    }
}

/// Delivers beacons in range to a manager's delegate.
extension ManagerLink {
    func startRanging(_ beacons: RangedBeacons) {
        self.ranging.start(beacons) { [weak self] result, run in self?.put(.ranged(result, of: beacons, run: run)) }
    }

    func deliver(
        _ result: Result<[CLBeacon.Fields], CLError>,
        of beacons: RangedBeacons,
        _ run: UInt64,
        _ manager: CLLocationManager,
        _ delegate: any CLLocationManagerDelegate
    ) {
        // Drop the result if the app stopped ranging meanwhile.
        guard self.ranging.isOn(beacons, run) else { return }
        switch (beacons, result) {
        case (.satisfying(let identity), .success(let fields)):
            let constraint = CLBeaconIdentityConstraint(identity)
            delegate.locationManager(manager, didRange: fields.map { CLBeacon($0) }, satisfying: constraint)
        case (.satisfying(let identity), .failure(let error)):
            let constraint = CLBeaconIdentityConstraint(identity)
            delegate.locationManager(manager, didFailRangingFor: constraint, error: error)
        case (.inRegion(let identity, let identifier), .success(let fields)):
            let region = CLBeaconRegion(identity, identifier: identifier)
            delegate.deprecated.ranged(manager, fields.map { CLBeacon($0) }, region)
        case (.inRegion(let identity, let identifier), .failure(let error)):
            delegate.deprecated.rangingFailed(manager, CLBeaconRegion(identity, identifier: identifier), error)
        }
    }
}

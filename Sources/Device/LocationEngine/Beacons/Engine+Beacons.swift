internal import WhereaboutsVocabulary

/// Beacons: the scanner's reports, and the conditions and apps that use them.
extension Engine {
    /// Records that the scanner listens, and the beacon that it received, if any.
    ///
    /// - Returns: whether a condition was decided, or the scanner was unavailable, so that apps must be checked.
    mutating func scanned(_ advertisement: Advertisement?, now: Now) -> Bool {
        let wasUnavailable = self.sensors[.scanner].isUnavailable
        guard !self.sensors[.scanner].isOff,
            case .deliver = self.sensors[.scanner].measured(tellsAccuracy: true, now: now.monotonic)
        else { return false }
        if wasUnavailable { self.ranging.listeningBegan() }
        if let advertisement { self.ranging.received(advertisement, now: now) }
        let decisions = self.beacons.scanned(advertisement, now: now)
        self.decided(decisions)
        return !decisions.isEmpty || wasUnavailable
    }

    /// Starts to watch a condition with the sensor that detects it.
    mutating func begin(_ record: ConditionRecord, of bundle: BundleID, now: EngineInstant) {
        switch record.condition {
        case .circle(let circle):
            self.watch.begin(record.number, circle, of: bundle, believing: record.newest, now: now)
        case .beacon(let identity):
            self.beacons.begin(record.number, identity, of: bundle, believing: record.newest)
        }
    }

    /// Ends watching a condition; ignored when it is not watched.
    mutating func end(_ number: UInt64) {
        self.watch.end(number)
        self.beacons.end(number)
    }

    /// Whether conditions, significant changes or visits need a sensor now.
    func watches(with sensor: Sensor) -> Bool {
        switch sensor {
        case .receiver: self.areLooking
        case .compass: false
        case .scanner: !self.beacons.isEmpty
        }
    }
}

internal import WhereaboutsVocabulary

/// The receptions of one beacon, from which the distance to the beacon is computed.
struct BeaconSignal: Sendable, Hashable {
    private struct Reception: Sendable, Hashable {
        var rssi: Int8
        var instant: EngineInstant
    }

    /// The maximum number of receptions that are stored: three seconds of an iBeacon's ten a second.
    static let receptionsMax = 32

    private var receptions: [Reception] = []
    private var measuredPower: Int8
    /// When the beacon was last received, by both clocks.
    private var last: Now
    /// The sum and the number of the strengths since the last report.
    private var sum = 0
    private var count = 0

    /// Creates the signal of a beacon that is received for the first time.
    init(_ advertisement: Advertisement, now: Now) {
        self.measuredPower = advertisement.measuredPower
        self.last = now
        self.received(advertisement, now: now)
    }

    mutating func received(_ advertisement: Advertisement, now: Now) {
        self.measuredPower = advertisement.measuredPower
        self.last = now
        self.receptions.append(Reception(rssi: advertisement.rssi, instant: now.monotonic))
        if self.receptions.count > Self.receptionsMax { self.receptions.removeFirst() }
        // A flood within a second no longer changes the mean.
        guard self.count < 1 << 20 else { return }
        self.sum += Int(advertisement.rssi)
        self.count += 1
    }

    /// Whether the beacon was silent for so long that it is no longer reported.
    func isForgotten(_ policy: BeaconPolicy, now: EngineInstant) -> Bool {
        self.last.monotonic.duration(to: now) > policy.memory
    }

    /// Returns a report of all receptions since the last one.
    mutating func report(of beacon: Beacon, _ policy: BeaconPolicy, now: EngineInstant) -> RangedBeacon {
        defer { (self.sum, self.count) = (0, 0) }
        self.receptions.removeAll { $0.instant.duration(to: now) > policy.smoothing }
        let distance = self.middle.map { PathLoss.distance(rssi: $0, measuredPower: self.measuredPower) }
        return RangedBeacon(
            beacon: beacon,
            rssi: self.count == 0 ? 0 : self.sum / self.count,
            distance: distance,
            proximity: RangedBeacon.Proximity(distance, policy),
            time: self.last.wall
        )
    }

    /// The median, because reflections fade half of the receptions.
    private var middle: Int8? {
        self.receptions.isEmpty ? nil : self.receptions.map(\.rssi).sorted()[self.receptions.count / 2]
    }
}

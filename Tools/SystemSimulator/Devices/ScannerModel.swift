internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The beacons near a device, which come and go, and the receptions of its scanner.
struct ScannerModel {
    /// The owner of all beacons of these worlds.
    static let owner = Beacon.OwnerID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)
    /// The signal strength of each beacon at one metre, in dBm.
    private static let measuredPower: Int8 = -59
    /// A scanner that drops receptions receives in one of this many seconds.
    private static let dropped: Int64 = 4

    private let plans: [Scenario.BeaconPlan]?
    /// The fault of the scanner; nil: it works.
    var fault: Scenario.ScannerFault?

    init(_ plans: [Scenario.BeaconPlan]?) {
        self.plans = plans
    }

    /// Whether the device has a scanner.
    var isThere: Bool { self.plans != nil }

    /// The true distance of a beacon in millimetres, wherever it is; nil: there is no such beacon.
    func distance(of beacon: Beacon) -> Int64? {
        self.plans?.first { $0.beacon == beacon }.map { Int64($0.metres) * 1000 }
    }

    /// The reports of one second: receptions, or nil if the scanner listens and received nothing; empty if it hangs.
    func reports(at instant: Instant) -> [Advertisement?] {
        switch self.fault {
        case .hangs, .gone: return []
        case .drops where instant.microseconds / 1_000_000 % Self.dropped != 0: return [nil]
        case .drops, nil: break
        }
        let received = (self.plans ?? []).filter { $0.isNear(at: instant) }.compactMap { plan in
            PathLoss.rssi(at: Int64(plan.metres) * 1000, measuredPower: Self.measuredPower).map {
                Advertisement(beacon: plan.beacon, rssi: $0, measuredPower: Self.measuredPower)
            }
        }
        return received.isEmpty ? [nil] : received
    }
}

extension Scenario.BeaconPlan {
    fileprivate var beacon: Beacon {
        Beacon(uuid: ScannerModel.owner, major: UInt16(clamping: self.major), minor: UInt16(clamping: self.minor))
    }

    /// Whether the beacon is near the device; a run begins with its absence.
    fileprivate func isNear(at instant: Instant) -> Bool {
        let second = Int(instant.microseconds / 1_000_000)
        return second % (self.absence + self.stay) >= self.absence
    }
}

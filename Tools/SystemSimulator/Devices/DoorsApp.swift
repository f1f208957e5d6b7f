internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// An app that monitors beacons, and ranges while it runs; it has one of its conditions
/// only while it is in the foreground.
final class DoorsApp: MonitoringApp {
    private static let shown = (
        identifier: "second", condition: Condition.beacon(BeaconIdentity(uuid: ScannerModel.owner, major: 1, minor: 2))
    )

    private var isRanging = false

    override var subject: String { "beacon" }
    override var notices: Notices { .known }

    override var conditions: [(identifier: String, condition: Condition)] {
        let stranger = Beacon.OwnerID(high: 1, low: 2)
        return [
            ("any", .beacon(BeaconIdentity(uuid: ScannerModel.owner))),
            ("first", .beacon(BeaconIdentity(uuid: ScannerModel.owner, major: 1, minor: 1))),
            ("never", .beacon(BeaconIdentity(uuid: stranger))),
        ] + (self.phase == .foreground ? [Self.shown] : [])
    }

    override func connected() {
        super.connected()
        guard !self.isRanging else { return }
        self.isRanging = true
        _ = self.read(.ranging(BeaconIdentity(uuid: ScannerModel.owner)))
    }

    override func phaseChanged() {
        if self.phase == .foreground {
            self.add(Self.shown.identifier, Self.shown.condition)
        } else {
            self.remove(Self.shown.identifier)
        }
    }
}

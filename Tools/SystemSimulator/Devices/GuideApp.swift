internal import WhereaboutsLocationEngine

/// An app that shows the beacons about the device while it is used: it ranges those of an owner, and of one of their groups.
final class GuideApp: SimulatedProcess {
    private var isRanging = false

    override func connected() {
        guard !self.isRanging else { return }
        self.isRanging = true
        _ = self.take(session: .whenInUse)
        for major in [nil, 1] as [UInt16?] {
            _ = self.read(.ranging(BeaconIdentity(uuid: ScannerModel.owner, major: major)))
        }
    }

    override func told(_ update: Update, of stream: UInt64) {
        switch update.element {
        case .beacons(let survey):
            self.device.world.census.add(survey.beacons.isEmpty ? "no beacon in range" : "beacons in range")
        case .fix, .heading, .visit: break
        case nil:
            if update.diagnostics.contains(.rangingUnavailable) { self.device.world.census.add("nobody listens") }
        }
    }
}

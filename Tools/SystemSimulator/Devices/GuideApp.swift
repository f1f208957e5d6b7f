internal import WhereaboutsLocationEngine

/// An app that shows the beacons in range while it is in use: it ranges the beacons of an owner, and of one group of them.
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

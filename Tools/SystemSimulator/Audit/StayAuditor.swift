internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine

/// Objects when a device is reported as stationary although it moves, or as moving again although it does not.
///
/// Its account: the device's true path. Occasional errors of a receiver (``ReceiverModel``) must not end a stay.
final class StayAuditor {
    /// A stream of one process.
    private struct Stream: Hashable {
        var app: AppKey
        var launch: Int
        var role: Principal.Role
        var number: UInt64
    }

    /// The error of a receiver that counts as exact, in metres.
    private static let slack = 10.0
    /// The time that a device needs to leave the circle of a stay, and until the next fix.
    private static let departure = Duration.seconds(3)

    private unowned let world: Simulation
    /// Where each device was when it paused a stream.
    private var stays: [Stream: GeodeticCoordinate] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    /// locationd restarts: each stream begins again.
    func deviceStarted(_ device: DeviceNode) { self.stays = self.stays.filter { $0.key.app.device != device.index } }

    /// A process is frozen: nothing is measured for its streams, so whether the device moves is unknown.
    func froze(_ process: SimulatedProcess) {
        let app = AppKey(process.device, process.bundle)
        self.stays = self.stays.filter { $0.key.app != app }
    }

    /// A process is being given an update of a stream.
    func told(_ update: Update, on number: UInt64, to process: SimulatedProcess) {
        let (device, bundle) = (process.device, process.bundle)
        let stream = Stream(
            app: AppKey(device, bundle),
            launch: process.launch,
            role: process.role,
            number: number
        )
        let stay = self.stays.removeValue(forKey: stream)
        // An update without a position has diagnostics, and ends the stay.
        guard update.fix != nil else { return }
        if update.diagnostics.contains(.stationary) {
            self.stays[stream] = self.began(device, bundle)
        } else if let stay, !update.diagnostics.contains(.accuracyLimited) {
            let place = self.place(of: device, at: self.world.now)
            self.ended(Geodesic.inverse(from: stay, to: place).distance.value, device, bundle)
        }
    }

    /// Checks the path before a stay, and returns the place of the stay.
    ///
    /// A stream that begins while the device departs is notified of the stay, too: the device waits before it decides that it moves.
    private func began(_ device: DeviceNode, _ bundle: BundleID) -> GeodeticCoordinate {
        let rule = device.policy.stillness
        let delay = device.policy.departurePatience + Self.departure
        let ends = [self.world.now, self.world.now.advanced(by: .zero - delay)]
        let ways = ends.map { end in
            let (from, to) = (
                self.place(of: device, at: end.advanced(by: .zero - rule.period)), self.place(of: device, at: end)
            )
            return (to: to, length: Geodesic.inverse(from: from, to: to).distance.value)
        }
        let way = ways[0].length <= ways[1].length ? ways[0] : ways[1]
        if way.length > 2 * Double(rule.radius) / 1000 + Self.slack {
            self.world.fail("\(device.id) told \(bundle) that it stands still, but it moved \(Int(way.length)) m")
        }
        self.world.census.add("a stay begins")
        return way.to
    }

    private func ended(_ way: Double, _ device: DeviceNode, _ bundle: BundleID) {
        if way < Double(device.policy.stillness.radius) / 1000 - Self.slack {
            self.world.fail(
                "\(device.id) told \(bundle) that it moves again, but it is only \(Int(way)) m from where it stood"
            )
        }
        self.world.census.add("a stay ends")
    }

    private func place(of device: DeviceNode, at instant: Instant) -> GeodeticCoordinate {
        let truth = device.receiver.truth(at: instant)
        return QuantizedCoordinate(latitude: Int(truth.latitude), longitude: Int(truth.longitude)).coordinate
    }
}

internal import LocationEngine
internal import Vocabulary

/// The receiver and the compass.
extension DeviceNode {
    func start(_ sensor: Sensor) {
        let session = self.switches[sensor].turnOn()
        self.later(sensor.startTime) { [unowned self] in
            guard self.switches[sensor].isOn, self.switches[sensor].session == session else { return }
            try self.feed(.sensed(.ready(sensor)))
        }
        self.later(sensor.firstTime) { [unowned self] in try self.measure(sensor, session) }
    }

    private func measure(_ sensor: Sensor, _ session: UInt64) throws {
        guard self.switches[sensor].isOn, self.switches[sensor].session == session else { return }
        self.later(sensor.interval) { [unowned self] in try self.measure(sensor, session) }
        if let element = self.measurement(of: sensor) { try self.feed(.sensed(.measured(element))) }
    }

    private func measurement(of sensor: Sensor) -> Update.Element? {
        switch sensor {
        case .receiver: self.receiver.fix(at: self.world.now, wall: self.engineNow.wall).map { .fix($0) }
        case .compass: .heading(Compass.heading(at: self.world.now, wall: self.engineNow.wall))
        // Nobody asks for beacons, which simulated devices do not hear.
        case .scanner: nil
        }
    }
}

internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The receiver, the compass, and the scanner of beacons.
extension DeviceNode {
    func start(_ sensor: Sensor) {
        let session = self.switches[sensor].turnOn()
        if sensor == .scanner { self.world.auditors.beacons.started(self) }
        self.later(sensor.startTime) { [unowned self] in
            guard self.switches[sensor].isOn, self.switches[sensor].session == session else { return }
            let isGone = sensor == .scanner && self.scanner.fault == .gone
            try self.feed(.sensed(isGone ? .lost(sensor) : .ready(sensor)))
        }
        self.later(sensor.firstTime) { [unowned self] in try self.measure(sensor, session) }
    }

    private func measure(_ sensor: Sensor, _ session: UInt64) throws {
        guard self.switches[sensor].isOn, self.switches[sensor].session == session else { return }
        self.later(sensor.interval) { [unowned self] in try self.measure(sensor, session) }
        for report in self.reports(of: sensor) { try self.feed(.sensed(report)) }
    }

    private func reports(of sensor: Sensor) -> [SensorReport] {
        switch sensor {
        case .receiver:
            return self.receiver.fix(at: self.world.now, wall: self.engineNow.wall).map { [.fix($0)] } ?? []
        case .compass: return [.heading(Compass.heading(at: self.world.now, wall: self.engineNow.wall))]
        case .scanner:
            self.world.auditors.beacons.isOn(self)
            let reports = self.scanner.reports(at: self.world.now)
            for report in reports { self.world.auditors.beacons.heard(report, by: self) }
            return reports.map { .scanned($0) }
        }
    }

    /// A fault of the scanner begins.
    func spoilScanner(_ fault: Scenario.ScannerFault) {
        guard self.scanner.isThere else { return }
        self.mendScanner()
        self.scanner.fault = fault
        self.world.census.add("the scanner \(fault)")
        guard fault == .gone, self.switches[.scanner].isOn else { return }
        self.perform { try self.feed(.sensed(.lost(.scanner))) }
    }

    func mendScanner() {
        let wasGone = self.scanner.fault == .gone
        self.scanner.fault = nil
        guard wasGone, self.switches[.scanner].isOn else { return }
        self.perform { try self.feed(.sensed(.ready(.scanner))) }
    }
}

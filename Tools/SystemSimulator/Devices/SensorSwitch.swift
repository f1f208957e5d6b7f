internal import WhereaboutsLocationEngine

/// The switch of a sensor.
struct SensorSwitch {
    /// How often the sensor was turned on, so that events planned in an earlier session do not happen in a later one.
    private(set) var session: UInt64 = 0
    private(set) var isOn = false

    mutating func turnOn() -> UInt64 {
        self.isOn = true
        self.session += 1
        return self.session
    }

    mutating func turnOff() {
        self.isOn = false
    }
}

extension Sensor {
    /// The time from the switch to the sensor's being ready.
    var startTime: Duration { .milliseconds(300) }

    /// The time from the switch to the first measurement.
    var firstTime: Duration {
        switch self {
        case .receiver: .milliseconds(1500)
        case .compass: .milliseconds(500)
        case .scanner: .milliseconds(100)
        }
    }

    /// The time between two measurements.
    var interval: Duration {
        switch self {
        case .receiver, .scanner: .seconds(1)
        case .compass: .seconds(2)
        }
    }
}

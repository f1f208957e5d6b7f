internal import WhereaboutsLocationEngine

/// A sensor of the virtual device: on while the core wants it, and measures the world at its times.
protocol VirtualSensor: AnyObject {
    var sensor: Sensor { get }
    /// When the sensor makes its next measurement, in nanoseconds since the device's start; the far future while it is off.
    var next: Int64 { get }
    /// Switches it on; harmless when it is.
    func start(now: Int64)
    /// Switches it off; harmless when it is.
    func stop()
    /// Returns its reports of this moment.
    func tick(now: Int64, epoch: Int64) -> [SensorReport]
}

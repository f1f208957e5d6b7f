internal import WhereaboutsLocationEngine

/// A sensor of the virtual device, which measures the world while the core has it switched on.
protocol VirtualSensor: AnyObject {
    var sensor: Sensor { get }
    /// When the sensor makes its next measurement, in nanoseconds since the device's start; the far future while it is off.
    var next: Int64 { get }
    /// Switches the sensor on; no effect if it is on.
    func start(now: Int64)
    /// Switches the sensor off; no effect if it is off.
    func stop()
    /// Returns the sensor's reports at this time.
    func tick(now: Int64, epoch: Int64) -> [SensorReport]
}

internal import WhereaboutsLocationEngine

/// An app that is notified when the device arrives at places on its path, or leaves them.
final class PlacesApp: MonitoringApp {
    /// Millimetres around the device's home, and around a place a kilometre or two along its way.
    private static let radii: [(identifier: String, north: Int32, radius: Int32)] = [
        ("home", 0, 300_000), ("station", 180_000, 400_000), ("never", 80_000_000, 100_000),
    ]

    override var subject: String { "condition" }

    override var conditions: [(identifier: String, condition: Condition)] {
        let home = self.device.receiver.truth(at: .start)
        return Self.radii.map { place in
            let circle = Condition.Circle(
                latitude: home.latitude + place.north,
                longitude: home.longitude + place.north,
                radius: place.radius
            )
            return (place.identifier, .circle(circle))
        }
    }
}

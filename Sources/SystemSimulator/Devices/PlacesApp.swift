internal import LocationEngine

/// An app that tells when the device comes to places on its way, or leaves them: it reads its monitor at every launch, and
/// takes its time to handle an event.
final class PlacesApp: SimulatedProcess {
    /// Millimetres around the device's home, and around a place a kilometre or two along its way.
    private static let radii: [(identifier: String, north: Int32, radius: Int32)] = [
        ("home", 0, 300_000), ("station", 180_000, 400_000), ("never", 80_000_000, 100_000),
    ]

    private var monitor: UInt64?
    /// A forgetful app opens its monitor when a person starts it, and not when it is launched.
    private var forgets: Bool { self.device.plan(of: self.bundle).isForgetful && self.reason != .user }

    override func connected() {
        guard self.monitor == nil else { return }
        _ = self.take(session: .always)
        if !self.forgets { self.monitor = self.read(monitor: "places") }
    }

    override func told(_ news: MonitorNews, of monitor: UInt64) {
        switch news {
        case .opened:
            for place in Self.radii {
                let home = self.device.receiver.truth(at: .start)
                let circle = Condition.Circle(
                    latitude: home.latitude + place.north,
                    longitude: home.longitude + place.north,
                    radius: place.radius
                )
                self.change(
                    .add(identifier: place.identifier, .circle(circle), assuming: .unknown, .all),
                    of: monitor
                )
            }
        case .taken: break
        case .event(let event):
            self.device.world.census.add(event.diagnostics.isEmpty ? "condition event" : "condition without events")
            guard let number = event.number else { return }
            if self.reason != .user { self.device.world.census.add("condition event after a launch") }
            self.later(.milliseconds(200)) { [unowned self] in
                self.device.world.auditors.conditions.handled(event, by: self)
                self.change(.handled(number), of: monitor)
            }
        }
    }
}

import CoreLocation

actor ConditionMonitor {
    private var monitor: CLMonitor?

    func start(_ center: CLLocationCoordinate2D) async throws {
        let monitor = await CLMonitor("places")
        self.monitor = monitor
        if await monitor.record(for: "home") == nil {
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: center, radius: 100),
                identifier: "home",
                assuming: .unsatisfied
            )
        }
        await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID(), major: 1), identifier: "beacon")
        for identifier in await monitor.identifiers where identifier == "old" { await monitor.remove(identifier) }
        for try await event in await monitor.events {
            handle(event)
        }
    }

    private func handle(_ event: CLMonitor.Event) {
        switch event.state {
        case .satisfied: print("in \(event.identifier) since \(event.date)")
        case .unsatisfied, .unknown: break
        case .unmonitored: print(event.conditionLimitExceeded || event.conditionUnsupported)
        @unknown default: break
        }
    }

    func lastState(of identifier: String) async -> CLMonitor.Event.State? {
        guard let record = await monitor?.record(for: identifier) else { return nil }
        if let circle = record.condition as? CLMonitor.CircularGeographicCondition { print(circle.radius) }
        return record.lastEvent.state
    }
}

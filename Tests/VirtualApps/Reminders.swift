import CoreLocation
import Foundation

/// The model of a reminder app: it reminds its owner on arrival, whether it runs or not.
@MainActor final class Reminders {
    /// The shop that a reminder is tied to.
    nonisolated static let shop = CLLocationCoordinate2D(latitude: 53.5600, longitude: 9.9922)

    /// The events of this launch.
    private(set) var events: [CLMonitor.Event] = []
    /// The events that report a crossing, not only the initial state.
    var crossings: [CLMonitor.Event] { self.events.filter { !$0.authorizationRequestInProgress } }
    private(set) var identifiers: [String] = []
    private(set) var secondLoopEnded = false
    private(set) var stored: CLMonitor.Event.State?
    private let session = CLServiceSession(authorization: .always)
    private var monitor: CLMonitor?

    /// The arrivals of which a person was reminded, in all launches.
    var reminders: Int { UserDefaults.standard.integer(forKey: "reminders") }

    init() {
        Task { await self.remind() }
    }

    /// Adds a condition beside the shop's.
    func add(_ identifier: String, radius: CLLocationDistance = 100) async {
        await self.monitor?.add(
            CLMonitor.CircularGeographicCondition(center: Self.shop, radius: radius),
            identifier: identifier,
            assuming: .unsatisfied
        )
    }

    /// Opens the monitor a second time, like code in another part of an app.
    func openAgain() async { _ = await CLMonitor("reminders").identifiers }

    /// Reads the events in a second loop.
    func readAgain() async {
        guard let monitor = self.monitor else { return }
        do {
            for try await _ in await monitor.events {}
            self.secondLoopEnded = true
        } catch {}
    }

    func remove(_ identifier: String) async { await self.monitor?.remove(identifier) }

    private func remind() async {
        let monitor = await CLMonitor("reminders")
        self.monitor = monitor
        self.stored = await monitor.record(for: "shop")?.lastEvent.state
        await monitor.add(
            CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 100),
            identifier: "shop",
            assuming: .unsatisfied
        )
        self.identifiers = await monitor.identifiers
        do {
            for try await event in await monitor.events {
                self.events.append(event)
                guard event.state == .satisfied else { continue }
                UserDefaults.standard.set(self.reminders + 1, forKey: "reminders")
            }
        } catch {}
    }
}

/// The same app by a developer who opens the monitor when a view appears, not at every launch.
@MainActor final class CarelessReminders {
    private let session = CLServiceSession(authorization: .always)
    private(set) var events = 0

    init() {
        Task { await self.remind() }
    }

    private func remind() async {
        guard !UserDefaults.standard.bool(forKey: "isSetUp") else { return }
        UserDefaults.standard.set(true, forKey: "isSetUp")
        let monitor = await CLMonitor("reminders")
        await monitor.add(
            CLMonitor.CircularGeographicCondition(center: Reminders.shop, radius: 100),
            identifier: "shop",
            assuming: .unsatisfied
        )
        do {
            for try await _ in await monitor.events { self.events += 1 }
        } catch {}
    }
}

public import CoreLocation
internal import DeviceCore
internal import LocationEngine

/// An app that is installed on a virtual device.
public final class VirtualApp {
    /// Whether the app runs, and whether it is seen.
    public enum State: Sendable, Hashable {
        /// It has no process.
        case notRunning
        /// A person looks at it.
        case foreground
        /// It runs unseen.
        case background
        /// It has a process that does nothing; events for it wait.
        case suspended
    }

    let bundle: BundleID
    // Keeps the device alive: a test that asks about its apps is not done with it.
    private let device: VirtualDevice
    private var host: DeviceHost { self.device.host }

    init(_ bundle: BundleID, on device: VirtualDevice) {
        self.bundle = bundle
        self.device = device
    }

    /// The bundle identifier.
    public var bundleIdentifier: String { self.bundle.rawValue }

    // MARK: State

    /// Whether the app runs, and whether it is seen.
    public var state: State {
        guard let process = self.host.appProcess(self.bundle) else { return .notRunning }
        if process.isSuspended { return .suspended }
        return process.phase == .foreground ? .foreground : .background
    }

    /// The person's decision about it, as the app reads it.
    public var authorizationStatus: CLAuthorizationStatus {
        switch self.host.core.engine.status(of: self.bundle)?.authorization {
        case .notDetermined, nil: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .whenInUse: .authorizedWhenInUse
        case .always: .authorizedAlways
        }
    }

    /// Whether it may know the precise location now.
    public var isPrecise: Bool { self.host.core.engine.status(of: self.bundle)?.isPrecise ?? false }

    /// Whether people are shown that it uses the location behind their backs.
    public var showsIndicator: Bool { self.host.indicators.contains { $0.bundle == self.bundle } }

    /// The number of its launches.
    public var launches: Int { self.host.launches[self.bundle] ?? 0 }

    /// Whether its extension has a process.
    public var extensionRuns: Bool { self.host.living(self.bundle).contains { $0.role != .app } }

    /// The number of positions the app and its extension were given, in all launches.
    public var positionsGiven: Int { self.all.reduce(0) { $0 + $1.positions.count } }

    /// Whether it awaits positions now and is given them.
    public var isServed: Bool {
        self.host.living(self.bundle).contains { $0.streams.contains { $0.isServed } }
    }

    /// The last position the app or its extension was given.
    public var lastPlaceGiven: CLLocationCoordinate2D? {
        self.all.compactMap(\.positions.newest).max { $0.arrival < $1.arrival }.map { fix in
            CLLocationCoordinate2D(latitude: Double(fix.latitude) / 1e7, longitude: Double(fix.longitude) / 1e7)
        }
    }

    private var all: [VirtualProcess] { self.host.processes.compactMap(\.self).filter { $0.bundle == self.bundle } }

    // MARK: Acts of the system

    /// Launches it into the background, as the system does; nothing happens if it runs.
    public func launchInBackground() {
        self.host.act { self.host.run(self.bundle, .background) }
    }

    /// Stops its process: none of its code runs, and what it is given waits, the newest position only.
    public func suspend() { self.host.act { self.host.suspend(self.bundle) } }

    /// Lets its process go on.
    public func resume() { self.host.act { self.host.resume(self.bundle) } }

    /// Ends its process as the system does when memory is short: without a word.
    public func terminate() { self.host.act { self.host.terminate(self.bundle, by: .system) } }

    /// Ends its process as a bug of its own does.
    public func crash() { self.host.act { self.host.terminate(self.bundle, by: .crash) } }

    /// Removes it, with all it was granted.
    public func uninstall() { self.host.act { self.host.uninstall(self.bundle) } }

    // MARK: Looking inside

    /// Looks at the app's object, or lets it do something, on its main actor, now.
    ///
    /// ```swift
    /// #expect(app.read { (workout: Workout) in workout.isPaused } == true)
    /// ```
    /// - Parameter body: gets the object that `AppUnderTest(_:object:)` made in this launch.
    /// - Returns: what `body` returns; nil when the app does not run, or its object is of another type, which is a
    ///   problem of the test.
    public func read<Object: AnyObject, Result>(_ body: @MainActor (Object) -> Result) -> Result? {
        guard let process = self.host.appProcess(self.bundle) else {
            self.complain("does not run, so there is nothing to read")
            return nil
        }
        guard let object = process.root as? Object else {
            if process.separate != nil {
                self.complain(
                    "runs in a process of its own, so that nothing of it can be read; look at what the device sees"
                )
                return nil
            }
            let found = process.root.map { "its object is a \(type(of: $0))" } ?? "it is a program without an object"
            self.complain("has no \(Object.self): \(found)")
            return nil
        }
        // The thread that pumps is the app's main actor.
        nonisolated(unsafe) let root = object
        return self.host.perform(in: process) { unsafe body(root) }
    }

    private func complain(_ what: String) {
        self.host.act { self.host.problems.add("\(self.bundle) \(what)") }
    }
}

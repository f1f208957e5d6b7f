public import CoreLocation
public import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// An app that is installed on a virtual device.
public final class VirtualApp {
    /// Whether the app runs, and whether it is visible.
    public enum State: Sendable, Hashable {
        /// The app has no process.
        case notRunning
        /// The app is in the foreground.
        case foreground
        /// The app runs in the background.
        case background
        /// The app's process is suspended; events wait until it resumes.
        case suspended
    }

    let bundle: BundleID
    // Keeps the device alive: a test that uses its apps still needs the device.
    private let device: VirtualDevice
    private var host: DeviceHost { self.device.host }

    init(_ bundle: BundleID, on device: VirtualDevice) {
        self.bundle = bundle
        self.device = device
    }

    /// The bundle identifier.
    public var bundleIdentifier: String { self.bundle.rawValue }

    // MARK: State

    /// Whether the app runs, and whether it is visible.
    public var state: State {
        guard let process = self.host.processes.app(self.bundle) else { return .notRunning }
        if process.isSuspended { return .suspended }
        return process.phase == .foreground ? .foreground : .background
    }

    /// The person's decision about the app, as its code reads it.
    public var authorizationStatus: CLAuthorizationStatus {
        switch self.host.service.core.engine.status(of: self.bundle)?.authorization {
        case .notDetermined, nil: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .whenInUse: .authorizedWhenInUse
        case .always: .authorizedAlways
        }
    }

    /// Whether the app may receive the precise location now.
    public var isPrecise: Bool { self.host.service.core.engine.status(of: self.bundle)?.isPrecise ?? false }

    /// Whether the device shows that the app uses the location in the background.
    public var showsIndicator: Bool { self.host.service.indicators.contains { $0.bundle == self.bundle } }

    /// The number of the app's launches.
    public var launches: Int { self.host.apps.launches[self.bundle] ?? 0 }

    /// Whether the app's push extension has a process.
    public var extensionRuns: Bool { self.host.processes.pushExtension(of: self.bundle) != nil }

    /// The number of positions that the app and its extension received in all launches.
    public var positionsGiven: Int { self.all.reduce(0) { $0 + $1.positions.count } }

    /// Whether the latest update of one of the app's streams was a position.
    public var isServed: Bool {
        self.host.processes.living(self.bundle).contains { $0.streams.contains { $0.isServed } }
    }

    /// The last position that the app or its extension received.
    public var lastPlaceGiven: CLLocationCoordinate2D? {
        self.all.compactMap(\.positions.newest).max { $0.arrival < $1.arrival }.map { fix in
            CLLocationCoordinate2D(latitude: Double(fix.latitude) / 1e7, longitude: Double(fix.longitude) / 1e7)
        }
    }

    private var all: [VirtualProcess] { self.host.processes.all.filter { $0.bundle == self.bundle } }

    // MARK: Acts of the system

    /// Launches the app into the background, as the system does; nothing happens if it runs.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func launchInBackground(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.run(self.bundle, .background) }
    }

    /// Suspends the app's process: its code does not run and its events wait; of the positions, only the newest is kept.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func suspend(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.suspend(self.bundle) }
    }

    /// Resumes the app's process, as the system does for a background refresh.
    ///
    /// An app that the device suspended gets some time to run, and is suspended again.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func resume(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.wake(self.bundle) }
    }

    /// Ends the app's process without notice, as the system does when memory is short.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func terminate(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.terminate(self.bundle, by: .system) }
    }

    /// Crashes its process.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func crash(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.terminate(self.bundle, by: .crash) }
    }

    /// The ways a process of the app ends, for `@Test(arguments: VirtualApp.Ending.allCases)`.
    public enum Ending: Sendable, Hashable, CaseIterable {
        /// The person closes the app, with a swipe.
        case closed
        /// The system terminates the app, when memory is short.
        case terminated
        /// It crashed.
        case crashed
        /// The app is installed again, as in an update.
        case updated
    }

    /// Ends the app's process, if there is one.
    ///
    /// - Parameters:
    ///   - ending: how the process ends.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func end(_ ending: Ending, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) {
            switch ending {
            case .closed: self.host.apps.terminate(self.bundle, by: .person)
            case .terminated: self.host.apps.terminate(self.bundle, by: .system)
            case .crashed: self.host.apps.terminate(self.bundle, by: .crash)
            case .updated: self.host.apps.update(self.bundle)
            }
        }
    }

    /// Offloads the app, as a phone short of storage does: the code is removed, data and decisions stay, and the
    /// push token is given back.
    ///
    /// The app is downloaded again when the person opens it.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func offload(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.offload(self.bundle) }
    }

    /// Kills the process of the app's push extension, as the system does when the extension uses too much memory.
    ///
    /// A problem of the test is reported if the extension does not run: push to it first, and let time pass until ``extensionRuns``.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func exhaustExtensionMemory(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.exhaustExtensionMemory(of: self.bundle) }
    }

    /// The app's home directory, as its code sees it; a test may read and change the files.
    ///
    /// It outlives the app's processes and its updates; uninstalling the app removes it.
    public var home: URL? { self.host.apps.containers[self.bundle]?.directory }

    /// The mistakes of the app's push extension, in all launches; each is also in the timeline.
    public var pushMistakes: [PushMistake] { self.all.flatMap(\.account.mistakes) }

    /// Uninstalls the app, with its files and the person's decisions.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func uninstall(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.apps.uninstall(self.bundle) }
    }

    // MARK: Inspection

    /// Runs `body` with the app's object on its main actor, now.
    ///
    /// In a suspended app, `body` runs anyway. Tasks that it begins and its calls of Core Location wait until the app resumes.
    ///
    /// ```swift
    /// #expect(app.read { (workout: Workout) in workout.isPaused } == true)
    /// ```
    /// - Parameters:
    ///   - sourceLocation: the test's line, where a problem is shown.
    ///   - body: gets the object that `AppUnderTest(_:object:)` made in this launch.
    /// - Returns: the result of `body`; nil when the app does not run, or its object is of another type, which is a
    ///   problem of the test.
    @discardableResult
    public func read<Object: AnyObject, Result>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @MainActor (Object) -> Result
    ) -> Result? {
        guard let process = self.host.processes.app(self.bundle) else {
            // A story ends apps at any time.
            if self.host.context.story == nil {
                self.complain("does not run, so there is nothing to read", at: sourceLocation)
            }
            return nil
        }
        guard let object = process.root as? Object else {
            self.complain(Self.mismatch(of: process, with: Object.self), at: sourceLocation)
            return nil
        }
        // The thread that runs the device is the app's main actor.
        nonisolated(unsafe) let root = object
        return self.host.perform(in: process, at: sourceLocation) { unsafe body(root) }
    }

    /// Reads an optional value of the app's object, on its main actor, now.
    ///
    /// ```swift
    /// device.run(until: "it has its token") { app.read { (friends: Friends) in friends.token } != nil }
    /// ```
    /// - Parameters:
    ///   - sourceLocation: the test's line, where a problem is shown.
    ///   - body: gets the object that `AppUnderTest(_:object:)` made in this launch.
    /// - Returns: the result of `body`; nil also when the app does not run, or its object is of another type, which is a
    ///   problem of the test.
    @discardableResult
    public func read<Object: AnyObject, Result>(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @MainActor (Object) -> Result?
    ) -> Result? {
        let found: Result?? = self.read(sourceLocation: sourceLocation) { object in Found(value: body(object)) }?.value
        return found ?? nil
    }

    /// Distinguishes a value that is nil from a missing app or object.
    private struct Found<Value> {
        let value: Value?
    }

    private static func mismatch(of process: VirtualProcess, with type: Any.Type) -> String {
        if process.separate != nil {
            return "runs in its own process, so the test cannot read its values; check what the device sees"
        }
        let found = process.root.map { "its object is a \(Swift.type(of: $0))" } ?? "it is a program without an object"
        return "has no \(type): \(found)"
    }

    private func complain(_ what: String, at line: SourceLocation) {
        self.host.group.act(at: line) { self.host.context.problems.add("\(self.bundle) \(what)") }
    }
}

public import CoreLocation
internal import Synchronization
public import Testing
internal import WhereaboutsDeviceCore
public import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A device inside a test, with apps, a person, a world, and its own time.
///
/// ```swift
/// @Test func stopsWhenThePersonDenies() {
///     let device = VirtualDevice()
///     let app = device.install(.workout)
///     device.person.answersAll(.dontAllow)
///     device.person.open(app)
///     device.advance(by: .seconds(10))
///     #expect(app.read { (workout: Workout) in workout.isRecording } == false)
/// }
/// ```
/// Nothing happens by itself: time passes while the test advances it, and then everything runs on the test's thread, in
/// the same order in every run with the same seed. Decisions are those of `locationd`'s engine.
public final class VirtualDevice {
    /// All numbers that the engine's decisions depend on, with their defaults and sources.
    public typealias Policy = WhereaboutsLocationEngine.Policy

    let host: DeviceHost
    private let madeAt: SourceLocation
    /// The device whose time this device shares; nil: it has its own time.
    private let other: VirtualDevice?

    /// Creates a device that is on, where nothing is installed.
    ///
    /// - Parameters:
    ///   - profile: the kind of device, and its system.
    ///   - home: the device's place, by default Hamburg's town hall.
    ///   - seed: for everything that is drawn: the receiver's errors, walks, drives; nil: the seed of ``AnyDevice``, or 1.
    ///   - date: the time on its clock at the start, by default 2026-01-05 09:00 UTC, a Monday.
    ///   - policy: the numbers it decides by.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public init(
        _ profile: DeviceProfile = .phone,
        at home: CLLocationCoordinate2D = CLLocationCoordinate2D(latitude: 53.5503, longitude: 9.9922),
        seed: UInt64? = nil,
        date: Date = Date(timeIntervalSince1970: 1_767_603_600),
        policy: Policy = Policy(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let epoch = WallTime(timeIntervalSince1970: date.timeIntervalSince1970).microseconds
        precondition(
            (0..<9_000_000_000_000_000).contains(epoch),
            "a virtual device lives between 1970 and 2255, not in \(date)"
        )
        self.madeAt = sourceLocation
        self.other = nil
        let story = Trial.current?.claim()
        let number = seed ?? story?.seed ?? 1
        let group = DeviceGroup(epoch: epoch * 1000)
        self.host = DeviceHost(profile: profile, policy: policy, home: home, seed: number, group: group)
        if let story { self.host.play(story) }
        Watchdog.shared.watch(group.kernel.vitals, madeAt: sourceLocation)
        TestScope.current?.add(self.host)
    }

    private init(_ host: DeviceHost, beside other: VirtualDevice, _ sourceLocation: SourceLocation) {
        self.madeAt = sourceLocation
        self.other = other
        self.host = host
        TestScope.current?.add(host)
    }

    /// Creates another device that shares the time of this one.
    ///
    /// ```swift
    /// let bob = alice.makeCompanion(at: harbour)
    /// ```
    /// Time passes for all of them together. Each has its own apps, person, world, and wall clock, which is right at first. A server that
    /// the apps of both reach (``VirtualNetwork``) sends a push to the device that has the token.
    ///
    /// - Parameters:
    ///   - profile: the kind of device.
    ///   - home: the new device's place, by default the place of this device.
    ///   - seed: for everything that is drawn.
    ///   - policy: the numbers it decides by.
    ///   - sourceLocation: the test's line, where a problem is shown.
    /// - Returns: the device, which is on.
    public func makeCompanion(
        _ profile: DeviceProfile = .phone,
        at home: CLLocationCoordinate2D? = nil,
        seed: UInt64 = 2,
        policy: Policy = Policy(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> VirtualDevice {
        let host = DeviceHost(
            profile: profile,
            policy: policy,
            home: home ?? self.world.place,
            seed: seed,
            group: self.host.group
        )
        return VirtualDevice(host, beside: self, sourceLocation)
    }

    deinit {
        self.host.group.finish(self.host, at: self.madeAt)
    }

    /// The person who uses the device.
    public var person: Person { Person(of: self) }
    /// The owner of the device, whose rules limit what the person can decide.
    public var owner: Owner { Owner(of: self) }
    /// The surroundings of the device: its true position, and the sky its receiver sees.
    public var world: World { self.host.world }
    /// The timeline of the device: people's acts, decisions, deliveries, problems.
    public var timeline: Timeline { self.host.timeline }

    /// The quirks of the device from now on, taken from real devices; at first the quirks of its system.
    public var quirks: Set<Quirk> {
        get { self.host.deliveries.quirks }
        set { self.host.deliveries.quirks = newValue }
    }

    /// Installs an app.
    ///
    /// An app with the same bundle identifier is updated: it keeps its permissions, and its old process ends.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    /// - Returns: the installed app.
    @discardableResult
    public func install(_ app: AppUnderTest, sourceLocation: SourceLocation = #_sourceLocation) -> VirtualApp {
        self.host.group.act(at: sourceLocation) { self.host.apps.install(app) }
        return VirtualApp(BundleID(app.bundle), on: self)
    }

    // MARK: Time

    /// The time since the device's start.
    public var now: Duration { .nanoseconds(self.host.time.clock.now) }

    /// The time of day on the device's clock.
    public var date: Date {
        Date(timeIntervalSince1970: Double((self.host.time.clock.epoch + self.host.time.clock.now) / 1000) / 1e6)
    }

    /// Lets time pass.
    ///
    /// - Parameters:
    ///   - duration: how much; not negative.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func advance(by duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
        precondition(duration >= .zero, "time does not go backwards: advance(by: \(duration))")
        self.host.group.advance(by: duration.nanoseconds, at: sourceLocation)
    }

    /// Lets time pass until a condition is true; if it does not become true in time, this is reported as a problem of
    /// the test.
    ///
    /// ```swift
    /// device.run(until: "the first kilometre is done") { app.read { (w: Workout) in w.distance >= 1000 } == true }
    /// ```
    /// - Parameters:
    ///   - what: the condition in words, for people.
    ///   - limit: the most time that passes, by default 10 min.
    ///   - sourceLocation: the test's line, where a problem is shown.
    ///   - condition: evaluated whenever everything on the device waits.
    /// - Returns: whether the condition became true.
    @discardableResult
    public func run(
        until what: String,
        within limit: Duration = .seconds(600),
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () -> Bool
    ) -> Bool {
        if self.host.group.advance(by: limit.nanoseconds, at: sourceLocation, until: condition) { return true }
        let problem =
            "waited \(limit) for: \(what)\nThis is what everything waits for at \(Timeline.clock(self.now)):\n"
            + self.host.waiting
        self.timeline.add(.problem, "device", "waited \(limit) for: \(what)")
        Reporter.report(problem, at: sourceLocation)
        return false
    }

    /// The reasons why everything on the device waits, one line each, for people.
    public var whatEverythingWaitsFor: String { self.host.waiting }

    // MARK: The device itself

    /// Whether the device is on.
    public var isOn: Bool { self.host.service.isOn }

    /// Whether the device is locked (``Person/lock(sourceLocation:)``).
    public var isLocked: Bool { self.host.apps.isLocked }

    /// Switches the device off, as an empty battery does.
    ///
    /// Every process ends without notice. Until ``switchOn(locked:sourceLocation:)``, time passes and the world moves, pushes wait in the network, and a
    /// person who opens an app is a problem of the test. Nothing happens if the device is off.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func switchOff(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.switchOff() }
    }

    /// Switches the device on.
    ///
    /// No app is in the foreground. People's decisions and the files, sessions and conditions of apps are as they were, and an app is
    /// launched when an event waits for it. The clocks that count from the last boot begin at zero. Nothing happens if the device is on.
    ///
    /// - Parameters:
    ///   - locked: whether it stays locked until ``Person/unlock(sourceLocation:)``. Until then no conditions are monitored, no apps start, and
    ///     pushes wait in the network; Apple documents this for `CLMonitor`.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func switchOn(locked: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.switchOn(isLocked: locked) }
    }

    /// Switches the device off, lets time pass, and switches it on again; the device is on when this returns.
    ///
    /// - Parameters:
    ///   - duration: how long the device is off, and how much time passes; not negative.
    ///   - locked: whether it stays locked until ``Person/unlock(sourceLocation:)``.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func reboot(
        offFor duration: Duration = .seconds(30),
        locked: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        precondition(duration >= .zero, "a reboot takes zero seconds or more")
        self.switchOff(sourceLocation: sourceLocation)
        self.advance(by: duration, sourceLocation: sourceLocation)
        self.switchOn(locked: locked, sourceLocation: sourceLocation)
    }

    /// Puts the device's wall clock forward or back, as a person or the network does.
    ///
    /// `Date()`, ``date`` and a fix's `timestamp` jump with that clock. Nothing else jumps: tasks sleep as
    /// long as before, and servers and satellites keep their time, so that a push may have expired for a device whose clock is ahead.
    ///
    /// - Parameters:
    ///   - duration: how much; negative: back.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func moveClock(by duration: Duration, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.moveClock(by: duration) }
    }

    /// The device's time zone; at first the time zone of the tests.
    public var timeZone: TimeZone { self.host.time.timeZone ?? .current }

    /// Changes the device's time zone, as a journey does.
    ///
    /// An app in its own process (``AppUnderTest/init(_:infoPlist:separateProcess:pushExtension:)``) gets that zone: `TimeZone.current`
    /// and `Calendar.current` change, and `NSSystemTimeZoneDidChange` is posted. Foundation has one time zone per process, so for an app in
    /// the test's process the time zone does not change; its code can be given ``timeZone``, as a parameter of its model.
    ///
    /// - Parameters:
    ///   - timeZone: the new time zone.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func setTimeZone(_ timeZone: TimeZone, sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.setTimeZone(timeZone) }
    }

    // MARK: The location service

    /// The ways the location service ends.
    public enum ServiceEnd: Sendable, Hashable, Codable, CaseIterable {
        /// The service crashes or is killed: apps continue, lose their connection and reconnect.
        case killed
        /// The service is stopped, as for an update: it ends its apps first, and saves their subscriptions.
        case stopped
    }

    /// Ends the location service (`locationd`) and starts it again later; apps keep their subscriptions.
    ///
    /// While it is down, loops over updates receive ``CoreLocation/CLLocationUpdate/locationUnavailable`` and continue afterwards;
    /// none ends or throws. Pushes wait, and uncompleted ones are given to the extension again.
    ///
    /// - Parameters:
    ///   - end: how the service ends.
    ///   - duration: how long it is down from now; not negative. Clients reconnect within 2 s. A service that is down stays down
    ///     until the later of both times.
    ///   - sourceLocation: the test's line, where a problem is shown.
    public func restartLocationService(
        _ end: ServiceEnd = .killed,
        downFor duration: Duration = .seconds(1),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        precondition(duration >= .zero, "the location service is down for zero seconds or more")
        self.host.group.act(at: sourceLocation) { self.host.restartService(end, downFor: duration) }
    }

    // MARK: Pushes

    /// Sends a location push to an app, as its server does through APNs.
    ///
    /// - Parameters:
    ///   - payload: the extension's payload; a JSON object of at most 4096 bytes.
    ///   - app: the app.
    ///   - fate: the push's fate in the network.
    ///   - priority: the push's urgency.
    ///   - lifetime: the time until the push expires; nil: it does not expire.
    ///   - sourceLocation: the test's line, where a problem is shown.
    /// - Returns: the push, with its ``LocationPush/outcome``.
    /// - Throws: ``LocationPush/Failure``.
    @discardableResult
    public func push(
        _ payload: [String: Any] = [:],
        to app: VirtualApp,
        _ fate: LocationPush.Fate = .delivered,
        priority: LocationPush.Priority = .immediate,
        expiresAfter lifetime: Duration? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LocationPush {
        let bytes = try LocationPush.payload(payload)
        let expiration = lifetime.map {
            WallTime(microseconds: self.host.time.trueTime.microseconds + $0.nanoseconds / 1000)
        }
        var id: PushID?
        self.host.group.act(at: sourceLocation) {
            id = self.host.gateway.send(bytes, to: app.bundle, fate, priority, expiration: expiration)
        }
        guard let id else { preconditionFailure("act(at:_:) did not run its closure") }
        return LocationPush(id: id, gateway: self.host.gateway)
    }

    /// Sends a push whose payload has the same values under other keys, as another server would name them (`requestId`, `request_id`, `REQUESTID`).
    ///
    /// An extension that requests a position anyway makes a mistake (``PushMistake/guessesPayload``).
    ///
    /// - Parameters:
    ///   - payload: the payload that the app's server sends; a JSON object of at most 4096 bytes.
    ///   - app: the app.
    ///   - sourceLocation: the test's line, where a problem is shown.
    /// - Returns: the pushes, one for each spelling; the first comes after a minute, and each a minute after the one before.
    /// - Throws: ``LocationPush/Failure``.
    @discardableResult
    public func pushMisspelled(
        _ payload: [String: Any],
        to app: VirtualApp,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [LocationPush] {
        try LocationPush.misspelled(payload).enumerated().map { index, payload in
            let push = try self.push(
                payload,
                to: app,
                .delayed(by: .seconds(60) * (index + 1)),
                sourceLocation: sourceLocation
            )
            self.host.gateway.misspell(push.id)
            return push
        }
    }

    /// Gives every app a new push token, as Apple does after a restore from a backup.
    ///
    /// An app receives its new token when it requests one.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func changePushTokens(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) {
            guard self.host.service.isHeard("the push tokens were to change") else { return }
            self.host.gateway.changeTokens()
        }
    }

    /// The number of pushes that the device's budget allows now.
    public var pushBudget: Int { self.host.gateway.budget }

    /// Spends the device's push budget, as other apps' pushes do; topics are unregistered until enough budget is back.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func exhaustPushBudget(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) {
            guard self.host.service.isHeard("the push budget was to be spent") else { return }
            self.host.gateway.spendBudget()
        }
    }

    // MARK: Problems

    /// Sets a handler for problems when tests do not run in Swift Testing; in XCTest, `{ XCTFail($0) }`.
    ///
    /// - Parameter handler: receives each problem, with the test's line, on the test's thread.
    public static func onProblem(_ handler: @escaping @Sendable (String) -> Void) {
        Reporter.handler.withLock { $0 = handler }
    }
}

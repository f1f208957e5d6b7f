public import CoreLocation
internal import DeviceCore
public import LocationEngine
internal import LocationHost
internal import Synchronization
internal import Testing
internal import Vocabulary

/// A device that lives in a test: with apps, a person, a world, and a time of its own.
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
/// the same order in every run with the same seed. The same engine decides as in `locationd`.
public final class VirtualDevice {
    /// Every number the device decides by, with its default and where that comes from.
    public typealias Policy = LocationEngine.Policy

    let host: DeviceHost
    private let madeAt: SourceLocation

    /// Creates a device that is on, where nothing is installed.
    ///
    /// - Parameters:
    ///   - profile: what kind of device it is.
    ///   - home: where it is; Hamburg's town hall unless said otherwise.
    ///   - seed: for everything that is drawn: the receiver's errors, walks, drives.
    ///   - date: what its clock says at the start; 2026-01-05 09:00 UTC, a Monday, unless said otherwise.
    ///   - policy: the numbers it decides by.
    ///   - fileID: the test's, like the next three.
    ///   - filePath: the test's.
    ///   - line: the test's.
    ///   - column: the test's.
    public init(
        _ profile: DeviceProfile = .phone,
        at home: CLLocationCoordinate2D = CLLocationCoordinate2D(latitude: 53.5503, longitude: 9.9922),
        seed: UInt64 = 1,
        date: Date = Date(timeIntervalSince1970: 1_767_603_600),
        policy: Policy = Policy(),
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        let epoch = WallTime(timeIntervalSince1970: date.timeIntervalSince1970).microseconds
        precondition(
            (0..<9_000_000_000_000_000).contains(epoch),
            "a virtual device lives between 1970 and 2255, not in \(date)"
        )
        self.host = DeviceHost(profile: profile, policy: policy, home: home, seed: seed, epoch: epoch * 1000)
        self.madeAt = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        TestScope.current?.add(self.host)
    }

    deinit {
        self.host.finish(self.madeAt)
    }

    /// The person who holds the device.
    public var person: Person { Person(of: self) }
    /// The owner of the device, whose rules stand above what its person decides.
    public var owner: Owner { Owner(of: self) }
    /// Where the device is, and what its receiver sees.
    public var world: World { self.host.world }
    /// Everything that happened.
    public var timeline: Timeline { self.host.timeline }

    /// What the device does oddly from now on, as devices in the field do; nothing unless said.
    public var quirks: Set<Quirk> {
        get { self.host.quirks }
        set { self.host.quirks = newValue }
    }

    /// Puts an app on the device; one with the same bundle identifier is installed anew, and keeps what it was granted.
    ///
    /// - Parameter app: the app.
    /// - Returns: the installed app.
    @discardableResult
    public func install(_ app: AppUnderTest) -> VirtualApp {
        self.host.act { self.host.install(app) }
        return VirtualApp(BundleID(app.bundle), on: self)
    }

    // MARK: Time

    /// The time since the device's start.
    public var now: Duration { .nanoseconds(self.host.clock.now) }

    /// What the device's clock says.
    public var date: Date {
        Date(timeIntervalSince1970: Double((self.host.clock.epoch + self.host.clock.now) / 1000) / 1e6)
    }

    /// Lets time pass.
    ///
    /// - Parameter duration: how much; not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not go backwards: advance(by: \(duration))")
        self.host.advance(by: duration.nanoseconds)
    }

    /// Lets time pass until something is so; a problem of the test when it is not so in time.
    ///
    /// ```swift
    /// device.run(until: "the first kilometre is done") { app.read { (w: Workout) in w.distance >= 1000 } == true }
    /// ```
    /// - Parameters:
    ///   - what: what is waited for, for people.
    ///   - limit: the most time that passes; 10 min unless said otherwise.
    ///   - fileID: the test's, like the next three.
    ///   - filePath: the test's.
    ///   - line: the test's.
    ///   - column: the test's.
    ///   - condition: asked whenever everything on the device waits.
    /// - Returns: whether it is so.
    @discardableResult
    public func run(
        until what: String,
        within limit: Duration = .seconds(600),
        fileID: String = #fileID,
        filePath: String = #filePath,
        line: Int = #line,
        column: Int = #column,
        _ condition: () -> Bool
    ) -> Bool {
        if self.host.advance(by: limit.nanoseconds, until: condition) { return true }
        let problem =
            "waited \(limit) for: \(what)\nThis is what everything waits for at \(Timeline.clock(self.now)):\n"
            + self.host.waiting
        self.timeline.add(.problem, "device", "waited \(limit) for: \(what)")
        let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
        Reporter.report(problem, at: location)
        return false
    }

    /// What everything on the device waits at this moment, for people.
    public var whatEverythingWaitsFor: String { self.host.waiting }

    // MARK: The device itself

    /// Switches the device off, as an empty battery does, and on again.
    ///
    /// Every process ends without a word. Afterwards nobody is in the foreground; what people decided, what apps hold and what
    /// they keep is as it was, and an app is launched when there is something for what it holds. The clocks that count from the
    /// last boot begin anew.
    ///
    /// - Parameter duration: how long it is off; not negative.
    public func reboot(offFor duration: Duration = .seconds(30)) {
        precondition(duration >= .zero, "a device cannot be on again before it went off")
        self.host.act { self.host.reboot(offFor: duration) }
    }

    /// Puts the device's wall clock forward, or back, as a person does, or the network that corrects it.
    ///
    /// `Date()` jumps, and ``date`` with it; nothing else does: tasks sleep as long as they meant to, and servers and satellites
    /// keep their time, so that a push may have expired for a device whose clock is ahead.
    ///
    /// - Parameter duration: how much; negative: back.
    public func moveClock(by duration: Duration) {
        self.host.act { self.host.moveClock(by: duration) }
    }

    // MARK: The location service

    /// How the location service ends.
    public enum ServiceEnd: Sendable, Hashable {
        /// It crashes, or is killed: apps go on, lose their connection and find it again.
        case killed
        /// It is told to stop, as for an update: it ends its apps first, and remembers what they held.
        case stopped
    }

    /// Ends the location service (`locationd`) and starts it again later; apps go on with what they hold.
    ///
    /// While it is down, loops over updates hear ``CoreLocation/CLLocationUpdate/locationUnavailable`` and go on afterwards;
    /// none ends or throws. Pushes wait, those at work are given again.
    ///
    /// - Parameters:
    ///   - end: how it ends.
    ///   - duration: how long it is down; not negative. Clients find the new one within 2 s.
    public func restartLocationService(_ end: ServiceEnd = .killed, downFor duration: Duration = .seconds(1)) {
        precondition(duration >= .zero, "the location service cannot be back before it ended")
        self.host.act { self.host.restartService(end, downFor: duration) }
    }

    // MARK: Pushes

    /// Sends a location push to an app, as its server does through APNs.
    ///
    /// - Parameters:
    ///   - payload: what the extension gets; a JSON object of at most 4096 bytes.
    ///   - app: the app.
    ///   - fate: what the network does to it.
    ///   - priority: how urgent the server says it is.
    ///   - lifetime: how long it is of use; nil: it does not expire.
    /// - Returns: the push, whose ``LocationPush/outcome`` tells what became of it.
    /// - Throws: ``LocationPush/Failure``.
    @discardableResult
    public func push(
        _ payload: [String: Any] = [:],
        to app: VirtualApp,
        _ fate: LocationPush.Fate = .delivered,
        priority: LocationPush.Priority = .immediate,
        expiresAfter lifetime: Duration? = nil
    ) throws -> LocationPush {
        let bytes = try LocationPush.payload(payload)
        let gateway = self.host.gateway
        let expiration = lifetime.map {
            WallTime(microseconds: self.host.trueTime.microseconds + $0.nanoseconds / 1000)
        }
        let id = gateway.send(bytes, to: app.bundle, priority.onDevice, expiration: expiration)
        self.host.act {
            self.timeline.add(.event, "pushes", "a push is sent to \(app.bundleIdentifier)")
            if fate.copies == 0 { gateway.lose(id) }
            for _ in 0..<fate.copies {
                self.host.schedule(after: fate.delay) { gateway.deliver(id) }
            }
        }
        return LocationPush(id: id, gateway: gateway)
    }

    /// How many pushes the device's budget holds now.
    public var pushBudget: Int { self.host.core.engine.snapshot(now: self.host.instant).pushesRemaining }

    /// Spends the device's push budget, as other apps' pushes do; topics are unregistered until some of it is back.
    public func exhaustPushBudget() {
        self.host.act {
            for _ in 0..<self.pushBudget { self.host.gateway.spend() }
        }
    }

    // MARK: Problems

    /// Says where problems are told when tests do not run in Swift Testing; in XCTest, `{ XCTFail($0) }`.
    ///
    /// - Parameter handler: gets each problem, in the test's thread.
    public static func onProblem(_ handler: @escaping @Sendable (String) -> Void) {
        Reporter.handler.withLock { $0 = handler }
    }
}

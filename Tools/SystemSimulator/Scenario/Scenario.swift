internal import WhereaboutsSharingEngine

/// One run of the simulator, as data: its devices, requesters and grants, their acts, and faults.
///
/// A scenario determines its run, so that it can be stored as a file, repeated, and made smaller.
package struct Scenario: Sendable, Hashable, Codable {
    /// The seed of delays, reactions and ids.
    package var seed: UInt64
    /// The time at which all faults end, in seconds; acts and deaths come before.
    package var healsAt: Int
    package var devices: [DevicePlan]
    package var requesters: [RequesterPlan]
    package var grants: [GrantPlan]
    /// The acts, in the order of time.
    package var acts: [Act]
    /// The writes at which machines die.
    package var deaths: [Death]
    /// The pushes in a row that the server allows for a device; absent: the default of the server's policy.
    var devicePushes: Int?
    /// The relay between the server and the gateway, which then takes Apple's place; absent: the server uses the gateway directly.
    var relay: RelayPlan?

    /// The policy of the server.
    var sharingPolicy: SharingPolicy {
        guard let pushes = self.devicePushes else { return SharingPolicy() }
        return SharingPolicy(pushPace: Pace(interval: SharingPolicy().pushPace.interval, burst: pushes))
    }

    package struct DevicePlan: Sendable, Hashable, Codable {
        /// Metres per second, to the north-east; 0: the device stays.
        var speed: Int
        var apps: [AppPlan]
        /// Whether it rests now and then on its way; absent: it does not.
        var rests: Bool?
        /// Whether its receiver errs now and then; absent: it does not.
        var strays: Bool?
        /// The beacons that come near the device and leave; absent: it has no scanner.
        var beacons: [BeaconPlan]?
        /// The person's habit of answering, at first.
        var habit: Habit
        /// The first device of the same person, who restores their sharing apps on this one; absent: this is the first.
        var personOf: Int?
    }

    /// A beacon that is near a device at times.
    struct BeaconPlan: Sendable, Hashable, Codable {
        /// The numbers that the beacon sends, of 16 bits.
        var major: Int
        var minor: Int
        /// The beacon's distance while it is near, in metres.
        var metres: Int
        /// How long the beacon is near, and how long it is away, in seconds.
        var stay: Int
        var absence: Int
    }

    /// An app on a device.
    package struct AppPlan: Sendable, Hashable, Codable {
        var kind: Kind
        /// Whether its Info.plist asks for explicit sessions.
        var isExplicit: Bool
        /// Whether the app begins with an approximate location.
        var isReduced: Bool
        /// Whether it requests authorization through a location manager, without sessions.
        var isClassic = false
        /// Whether the app, when launched again, does not create its sessions and streams again.
        var isForgetful = false

        enum Kind: String, Sendable, Hashable, Codable {
            /// Shares the device's location through location pushes, as FindFriends does.
            case friends
            /// Follows the device while it is used, and in the background with a background activity session.
            case workout
            /// Requests a position once in a while.
            case weather
            /// Reads headings, and positions in the foreground.
            case compass
            /// Monitors places on the device's path.
            case places
            /// Receives significant changes and visits.
            case travels
            /// Shows the beacons in range.
            case guide
            /// Monitors and ranges beacons.
            case doors
        }
    }

    package struct RequesterPlan: Sendable, Hashable, Codable {
        /// The clock's error, in seconds; positive: it is ahead.
        var clockError: Int
    }

    /// A grant that is made before the run begins.
    package struct GrantPlan: Sendable, Hashable, Codable {
        var device: Int
        /// The index of the app on the device.
        var app: Int
        var requester: Int
        var isFull: Bool
        /// When the grant begins and ends, in seconds.
        var holds: ClosedRange<Int>
        /// The minimum time between two requests, in seconds.
        var interval: Int
        /// The hours of the grant in UTC: its first minute of the day, and the minute after its last; nil: all day.
        var hours: [Int]?
        /// How many requests the grant allows; nil for any number.
        var usesMax: Int?
        /// Whether the person is asked each time; nil is no.
        var asksPerson: Bool?
        /// The longest live share, in minutes; nil: the grant allows none.
        var followMinutes: Int?

        /// The hours in the form of a grant.
        var dayHours: DayHours? {
            guard let hours, hours.count == 2, let zone = ZoneRule(offset: 0) else { return nil }
            return DayHours(from: UInt16(clamping: hours[0]), to: UInt16(clamping: hours[1]), zone: zone)
        }
    }

    /// A person's way of answering prompts.
    enum Habit: String, Sendable, Hashable, Codable, CaseIterable {
        case allowsAll
        case allowsWhileUsing
        case allowsApproximate
        case allowsOnce
        case refuses
        case doesNotAnswer
    }

    /// One act of a person, or one fault.
    package struct Act: Sendable, Hashable, Codable {
        /// When, in milliseconds.
        var at: Int
        var what: What

        enum What: Sendable, Hashable, Codable {
            // Requesters and sharers.
            case ask(grant: Int, precisely: Bool, xWing: Bool)
            case revoke(grant: Int)
            case follow(grant: Int, precisely: Bool, minutes: Int)
            case begin(schedule: Int, everyMinutes: Int, minutes: Int)
            case endSchedules(device: Int, app: Int)
            case stopFollowing(requester: Int)
            case endFollowings(device: Int, app: Int)
            // The person who has the device.
            case open(device: Int, app: Int)
            case hide(device: Int, app: Int)
            case close(device: Int, app: Int)
            case use(device: Int, app: Int, isOn: Bool)
            case set(device: Int, app: Int, Setting)
            case setPrecise(device: Int, app: Int, Bool)
            case switchServices(device: Int, isOn: Bool)
            case behave(device: Int, Habit)
            case lightDisplay(device: Int)
            case forbid(device: Int, app: Int, Bool)
            // A person who has several devices.
            case backUp(device: Int)
            case restore(device: Int)
            case answerHere(device: Int, app: Int)
            case removeDevice(Int, by: Int, app: Int)
            case takeBack(grant: Int, on: Int)
            case lose(device: Int)
            // Faults.
            case crash(device: Int, app: Int)
            case misbehave(device: Int, app: Int, Misbehaviour)
            case fork(device: Int, app: Int, milliseconds: Int, every: Int)
            case uninstall(device: Int, app: Int)
            case receive(device: Int, Bool)
            case deafen(device: Int, ScannerFault, milliseconds: Int)
            case kill(NodeID, milliseconds: Int)
            case cut(NodeID, NodeID, milliseconds: Int)
            case weather(Network.Weather)
            case stepClock(NodeID, seconds: Int)
            case fillDisk(NodeID, milliseconds: Int)
            case slow(NodeID, milliseconds: Int, by: Int)
            case failDisk(NodeID, milliseconds: Int)
            case rollBack(NodeID, seconds: Int)
            case exchangeSnapshot(device: Int, seconds: Int, milliseconds: Int)
            // Adversaries.
            case storm(Storm, milliseconds: Int, every: Int)
            case gatewayLies(GatewayLie, milliseconds: Int)
            case serverLies(ServerLie, milliseconds: Int)
            case relayLies(RelayLie, milliseconds: Int)
            case flood(Flood, milliseconds: Int, every: Int)
        }
    }

    /// A fault of a scanner.
    enum ScannerFault: String, Sendable, Hashable, Codable, CaseIterable {
        /// It reports nothing, although it is switched on.
        case hangs
        case gone
        case drops
    }

    /// A fault of an app, or of its extension.
    enum Misbehaviour: String, Sendable, Hashable, Codable, CaseIterable {
        case none
        /// The extension crashes on every push.
        case crashes
        /// The extension never completes a push.
        case hangs
        /// The extension's process starts but makes no call, as if it hung in the loader. The app does the same when
        /// the device launches it.
        case silent
        /// The app ends as soon as it is started, as if its files were damaged.
        case fails
    }

    /// A setting of an app that Settings offers.
    enum Setting: String, Sendable, Hashable, Codable, CaseIterable {
        case never
        case askNextTime
        case whileUsing
        case always
    }

    /// A machine's death during a write.
    package struct Death: Sendable, Hashable, Codable {
        var node: NodeID
        /// The number of the machine's write, from 1.
        var write: Int
        /// Whether the write is on disk.
        var isAfter: Bool
    }

    /// A machine's death at a write.
    enum Fate {
        case dieBefore
        case dieAfter
    }

    func fate(ofWrite write: Int, by node: NodeID, now: Instant) -> Fate? {
        guard !self.deaths.isEmpty, now.microseconds < Int64(self.healsAt) * 1_000_000 else { return nil }
        guard let death = self.deaths.first(where: { $0.node == node && $0.write == write }) else { return nil }
        return death.isAfter ? .dieAfter : .dieBefore
    }
}

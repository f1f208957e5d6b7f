internal import CoreLocation
internal import Foundation
internal import Friends
internal import Synchronization
internal import WhereaboutsLocationTesting
internal import WhereaboutsSharing
internal import WhereaboutsSharingTesting

@testable internal import FindFriends
@testable internal import FindFriendsLocationPush

/// Alice's device with FindFriends, the sharing server, and Bob, who asks from another device.
final class Neighbourhood {
    let device = VirtualDevice()
    /// Alice's.
    let app: VirtualApp
    /// The network between Alice's device and the server; Bob has another one.
    let way: VirtualSharingTransport
    let bob: Requester
    /// The store of Alice's signing key.
    let keys = LockableKeys()
    private let directory: URL

    /// The API with which Alice's version of the app requests Always.
    enum Asking {
        /// With a session, as the example does.
        case session
        /// With a manager before the session, as apps did before iOS 18.
        case manager
    }

    // By default, the app has the entitlements that it needs.
    init(asking: Asking = .session, entitlements: Set<String>? = nil) throws {
        let device = self.device
        self.directory = FileManager.default.temporaryDirectory.appending(path: "neighbourhood-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: false)
        let server = try VirtualSharingServer(for: device)
        let (settings, way) = (server.settings, server.makeTransport())
        self.way = way
        let bobsPath = self.directory.appending(path: "bob").path(percentEncoded: false)
        self.bob = try Requester(
            profile: SharingProfile.openOrCreate(path: bobsPath, settings: settings),
            transport: server.makeTransport()
        )
        let keys = self.keys
        // Called by the app's code, whose home directory is its container.
        let friends = { @Sendable in Friends(path: NSHomeDirectory() + "/sharing", transport: way, keys: keys) }
        var app = AppUnderTest(
            Friends.bundleIdentifier,
            infoPlist: try AppUnderTest.infoPlist(contentsOf: Self.infoPlist),
            pushExtension: {
                let service = LocationPushService()
                service.friends = friends()
                return service
            },
            main: {
                let manager = asking == .manager ? CLLocationManager() : nil
                manager?.requestAlwaysAuthorization()
                await FindFriendsApp.run(try friends().sharer(settings: settings))
                withExtendedLifetime(manager) {}
            }
        )
        if let entitlements { app.entitlements = entitlements }
        self.app = device.install(app)
    }

    deinit { try? FileManager.default.removeItem(at: self.directory) }

    private static let infoPlist = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/FindFriends/FindFriends/Info.plist").standardizedFileURL

    /// Whether the app has shown a line that contains this text.
    func hasShown(_ words: String) -> Bool {
        self.device.timeline.entries(of: Friends.bundleIdentifier).contains { $0.text.contains(words) }
    }

    /// Advances the time until the app shows a line.
    func wait(for words: String, sourceLocation: SourceLocation = #_sourceLocation) {
        self.device.run(until: "the app shows: \(words)", sourceLocation: sourceLocation) { self.hasShown(words) }
    }

    /// The number of pushes that the server sent.
    var pushes: Int { self.device.timeline.entries(of: "pushes").count { $0.text.hasPrefix("a push is sent") } }

    /// Alice gives Bob a grant for a day, with the command line on her device.
    func approve(_ limits: GrantLimits = GrantLimits()) throws -> Signed<Grant> {
        let bob = self.bob.profile.identity.publicIdentity
        return try #require(
            try self.asAlice { try $0.approve(requester: bob, precision: .full, for: .seconds(86_400), limits: limits) }
        )
    }

    /// Alice's files, beside her app.
    var alice: Friends {
        get throws {
            let path = try #require(self.app.home).appending(path: "sharing").path(percentEncoded: false)
            return Friends(path: path, transport: self.way, keys: self.keys)
        }
    }

    /// Runs work on Alice's files, beside her app.
    func asAlice<Value: Sendable>(_ body: @escaping @Sendable (Sharer) async throws -> Value) throws -> Value? {
        let alice = try self.alice
        let done = self.device.elsewhere { try await body(alice.sharer()) }
        self.device.run(until: "it is done") { done.isOver }
        return done.value
    }

    /// Bob asks, and waits for up to a minute; the test may do something in the meantime.
    func ask(
        _ grant: Signed<Grant>,
        sourceLocation: SourceLocation = #_sourceLocation,
        meanwhile: () -> Void = {}
    ) throws -> [RequestUpdate] {
        let bob = self.bob
        let asked = self.device.elsewhere {
            var updates: [RequestUpdate] = []
            for await update in bob.ask(grant) { updates.append(update) }
            return updates
        }
        meanwhile()
        self.device.run(until: "Bob knows", within: .seconds(120), sourceLocation: sourceLocation) { asked.isOver }
        return try #require(asked.value)
    }
}

extension Neighbourhood {
    /// Bob begins to follow Alice.
    func beginFollowing(_ grant: Signed<Grant>, minutes: UInt16) -> Elsewhere<[FollowUpdate]> {
        let bob = self.bob
        return self.device.elsewhere {
            var updates: [FollowUpdate] = []
            for await update in bob.follow(grant, minutes: minutes).updates { updates.append(update) }
            return updates
        }
    }

    /// Bob follows Alice until the live share ends.
    func follow(_ grant: Signed<Grant>, minutes: UInt16) throws -> [FollowUpdate] {
        let followed = self.beginFollowing(grant, minutes: minutes)
        self.device.run(until: "the following is over", within: .seconds(60 * Int(minutes) + 120)) { followed.isOver }
        return try #require(followed.value)
    }
}

extension [RequestUpdate] {
    /// The reported position, if there is one.
    var fix: SharedFix? {
        guard case .fix(let fix)? = self.last?.answer?.content else { return nil }
        return fix
    }

    /// Whether the server knows that sharing is paused.
    var isPaused: Bool {
        guard let last = self.last?.state else { return false }
        return last.kind == .unreachable && last.reason.hasPrefix("Sharing is paused")
    }

    /// The text of a device that reported no position.
    var unavailable: String? {
        guard case .unavailable(let reason)? = self.last?.answer?.content else { return nil }
        return reason
    }
}

/// A keychain in memory, which can be locked.
final class LockableKeys: IdentityStore {
    struct Locked: Error, CustomStringConvertible {
        let description = "this device was not unlocked since it started, so its signing key cannot be read"
    }

    private let state = Mutex<(key: [UInt8]?, isLocked: Bool)>((nil, false))

    func lock() { self.state.withLock { $0.isLocked = true } }

    func unlock() { self.state.withLock { $0.isLocked = false } }

    func read() throws -> [UInt8]? {
        let (key, isLocked) = self.state.withLock { $0 }
        if isLocked { throw Locked() }
        return key
    }

    func create(_ key: [UInt8]) -> Bool {
        self.state.withLock { state in
            guard state.key == nil else { return false }
            state.key = key
            return true
        }
    }
}

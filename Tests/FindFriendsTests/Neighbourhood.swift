internal import CoreLocation
internal import Foundation
internal import Friends
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationTesting
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingTesting

@testable internal import FindFriends
@testable internal import FindFriendsLocationPush

/// Alice's device with FindFriends on it, the sharing server, and Bob, who asks from elsewhere.
final class Neighbourhood {
    let device = VirtualDevice()
    /// Alice's.
    let app: VirtualApp
    /// The way from Alice's device to the server; Bob has another one.
    let way: VirtualSharingTransport
    let bob: Requester
    /// The place of Alice's signing key.
    let keys = LockableKeys()
    private let directory: URL

    init() throws {
        let device = self.device
        self.directory = FileManager.default.temporaryDirectory.appending(path: "neighbourhood-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: false)
        let server = try VirtualSharingServer(for: device)
        let (settings, way) = (server.settings, server.makeTransport())
        self.way = way
        let paths = ["alice", "bob"].map { [directory] in directory.appending(path: $0).path(percentEncoded: false) }
        self.bob = try Requester(
            profile: SharingProfile.openOrCreate(path: paths[1], settings: settings),
            transport: server.makeTransport()
        )
        let friends = Friends(path: paths[0], transport: way, keys: self.keys)
        self.app = device.install(
            AppUnderTest(
                Friends.bundleIdentifier,
                infoPlist: try AppUnderTest.infoPlist(contentsOf: Self.infoPlist),
                pushExtension: {
                    let service = LocationPushService()
                    service.friends = friends
                    return service
                },
                main: { await FindFriendsApp.run(try friends.sharer(settings: settings)) }
            )
        )
    }

    deinit { try? FileManager.default.removeItem(at: self.directory) }

    private static let infoPlist = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/FindFriends/FindFriends/Info.plist").standardizedFileURL

    /// Whether the app has shown a line with these words.
    func hasShown(_ words: String) -> Bool {
        self.device.timeline.entries(of: Friends.bundleIdentifier).contains { $0.text.contains(words) }
    }

    /// Lets time pass until the app shows a line.
    func wait(for words: String, sourceLocation: SourceLocation = #_sourceLocation) {
        self.device.run(until: "the app shows: \(words)", sourceLocation: sourceLocation) { self.hasShown(words) }
    }

    /// The number of pushes that the server sent.
    var pushes: Int { self.device.timeline.entries(of: "pushes").count { $0.text.hasPrefix("a push is sent") } }

    /// Alice lets Bob ask for a day, on the command line of her device.
    func approve(_ limits: GrantLimits = GrantLimits()) throws -> Signed<Grant> {
        let bob = self.bob.profile.identity.publicIdentity
        return try #require(
            try self.asAlice { try $0.approve(requester: bob, precision: .full, for: .seconds(86_400), limits: limits) }
        )
    }

    private var alicePath: String { self.directory.appending(path: "alice").path(percentEncoded: false) }

    /// Alice signs out: her files are gone, and the server is not told.
    func signOut() { try? FileManager.default.removeItem(atPath: self.alicePath) }

    /// Does something with Alice's files, beside her app.
    func asAlice<Value: Sendable>(_ body: @escaping @Sendable (Sharer) async throws -> Value) throws -> Value? {
        let (path, way, keys) = (self.alicePath, self.way, self.keys)
        let done = self.device.elsewhere {
            try await body(Sharer(profile: SharingProfile(path: path, identityStore: keys), transport: way))
        }
        self.device.run(until: "it is done") { done.isOver }
        return done.value
    }

    /// Bob asks, and waits for a minute.
    func ask(_ grant: Signed<Grant>, sourceLocation: SourceLocation = #_sourceLocation) throws -> [RequestUpdate] {
        let bob = self.bob
        let asked = self.device.elsewhere {
            var updates: [RequestUpdate] = []
            for await update in bob.ask(grant) { updates.append(update) }
            return updates
        }
        self.device.run(until: "Bob knows", within: .seconds(120), sourceLocation: sourceLocation) { asked.isOver }
        return try #require(asked.value)
    }
}

extension Neighbourhood {
    /// Bob follows until it is over.
    func follow(_ grant: Signed<Grant>, minutes: UInt16) throws -> [FollowUpdate] {
        let bob = self.bob
        let followed = self.device.elsewhere {
            var updates: [FollowUpdate] = []
            for await update in bob.follow(grant, minutes: minutes).updates { updates.append(update) }
            return updates
        }
        self.device.run(until: "the following is over", within: .seconds(60 * Int(minutes) + 120)) { followed.isOver }
        return try #require(followed.value)
    }
}

extension [RequestUpdate] {
    /// The position that was reported, if one was.
    var fix: SharedFix? {
        guard case .fix(let fix)? = self.last?.answer?.content else { return nil }
        return fix
    }

    /// Whether the server knows that sharing is paused.
    var isPaused: Bool {
        guard let last = self.last?.state else { return false }
        return last.kind == .unreachable && last.reason.hasPrefix("Sharing is paused")
    }

    /// The words of a device that told none.
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

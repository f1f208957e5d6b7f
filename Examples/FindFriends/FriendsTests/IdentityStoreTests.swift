import Foundation
import Synchronization
import Testing
import WhereaboutsSharing

#if canImport(Friends)
@testable import Friends
#else
@testable import FindFriends
#endif

/// A keychain in memory, which can be locked.
private final class Keys: IdentityStore {
    struct Locked: Error, CustomStringConvertible {
        let description = "this device was not unlocked since it started, so its signing key cannot be read"
    }

    private let state = Mutex<(key: [UInt8]?, isLocked: Bool)>((nil, false))

    func lock() { self.state.withLock { $0.isLocked = true } }

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

@Suite struct IdentityStoreTests {
    private let keys = Keys()

    private func withFriends(_ body: (Friends, String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let path = url.path(percentEncoded: false)
        try body(Friends(path: path, keys: self.keys), path)
    }

    @Test func keyInAStoreIsInNoFile() throws {
        try self.withFriends { friends, path in
            let settings = try ServerSettings(server: "https://sharing.example")
            let identity = try friends.sharer(settings: settings).profile.identity.publicIdentity
            #expect(!FileManager.default.fileExists(atPath: path + "/identity.key"))
            #expect(try friends.sharer(settings: settings).profile.identity.publicIdentity == identity)
            #expect(try friends.requester().profile.identity.publicIdentity == identity)
        }
    }

    @Test func lockedStoreGivesItsOwnReason() throws {
        try self.withFriends { friends, _ in
            _ = try friends.sharer(settings: ServerSettings(server: "https://sharing.example"))
            self.keys.lock()
            let error = #expect(throws: Keys.Locked.self) { try friends.sharer() }
            #expect(error?.description.contains("not unlocked") == true)
        }
    }

    /// Goal: the app tells a first launch from files that it cannot read, and says why it cannot.
    @Test func openingSaysWhyTheFilesCannotBeRead() throws {
        try self.withFriends { friends, path in
            guard case .new = friends.open() else {
                Issue.record("the first launch is taken for another")
                return
            }
            let settings = try ServerSettings(server: "https://sharing.example")
            guard case .ready = friends.open(settings: settings), case .ready = friends.open() else {
                Issue.record("the files cannot be opened")
                return
            }
            let server = path + "/server.json"
            let kept = try Data(contentsOf: URL(filePath: server))
            try Data("{".utf8).write(to: URL(filePath: server))
            #expect(self.reason(friends.open())?.contains("open the app and name the server") == true)
            try kept.write(to: URL(filePath: server))
            self.keys.lock()
            #expect(self.reason(friends.open())?.contains("not unlocked since it started") == true)
        }
    }

    private func reason(_ opening: Friends.Opening) -> String? {
        guard case .failed(let reason) = opening else { return nil }
        return reason
    }

    @Test func storeWithoutAKeyIsAnError() throws {
        try self.withFriends { friends, _ in #expect(throws: SharingError.self) { try friends.sharer() } }
    }
}

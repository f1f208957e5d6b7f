internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A directory that is gone when the test is.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appending(path: "sharing-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func profile(_ name: String) throws -> SharingProfile {
        try SharingProfile.openOrCreate(
            path: "\(self.path)/\(name)",
            settings: ServerSettings(server: "https://localhost:1")
        )
    }
}

/// A sharer and a requester, with keys that are always the same.
struct Pair {
    let sharer: Identity
    let requester: Identity

    init() throws {
        self.sharer = try Identity(seed: Array(repeating: 7, count: 32))
        self.requester = try Identity(seed: Array(repeating: 8, count: 32))
    }

    /// Nine to half past five in Berlin.
    static var hours: DayHours? {
        ZoneRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3").flatMap { DayHours(from: 540, to: 1050, zone: $0) }
    }

    func grant(
        precision: Precision = .full,
        hours: DayHours? = nil,
        usesMax: UInt16? = nil,
        asksPerson: Bool = false,
        followMinutesMax: UInt16? = nil
    ) throws -> Signed<Grant> {
        try self.sharer.sign(
            Grant(
                id: GrantID(bytes: Array(0..<16)) ?? { throw FixtureError() }(),
                sharer: self.sharer.publicIdentity,
                requester: self.requester.publicIdentity,
                precision: precision,
                notBefore: WallTime(milliseconds: 1_800_000_000_000),
                notAfter: WallTime(milliseconds: 1_800_604_800_000),
                intervalMin: 60,
                hours: hours,
                usesMax: usesMax,
                asksPerson: asksPerson,
                followMinutesMax: followMinutesMax
            )
        )
    }

    /// The registration of the sharer's device, with a key that a push can be sealed to: the base point of X25519, if not given.
    func registration(
        token: [UInt8] = [1],
        topic: String = "com.example.FindFriends",
        key: [UInt8] = [9] + Array(repeating: 0, count: 31)
    ) throws -> Registration {
        try Registration(
            sharer: self.sharer.publicIdentity,
            token: token,
            topic: topic,
            issued: WallTime(milliseconds: 9),
            device: RegisteredDevice(
                id: DeviceID(high: 1, low: 2),
                chosen: WallTime(milliseconds: 7),
                pushKey: key,
                sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
            )
        )
    }

    func invitation(
        server: String = "https://localhost:8443",
        trustRoots: [[UInt8]] = [[1, 2, 3]],
        expires: WallTime = WallTime(milliseconds: 1_800_604_800_000),
        name: String = "Bob"
    ) throws -> Signed<Invitation> {
        try self.requester.sign(
            Invitation(
                requester: self.requester.publicIdentity,
                issued: WallTime(milliseconds: 1_800_000_000_000),
                expires: expires,
                server: server,
                trustRoots: trustRoots,
                name: name
            )
        )
    }

    /// A request to follow for 45 minutes, under a grant that allows an hour.
    func followRequest(
        publicKey: [UInt8],
        at issued: WallTime = WallTime(milliseconds: 1_800_000_001_000)
    ) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: RequestID(bytes: Array(16..<32)) ?? { throw FixtureError() }(),
                grant: self.grant(followMinutesMax: 60),
                precision: .full,
                suite: .x25519,
                publicKey: publicKey,
                issued: issued,
                expires: issued.advanced(by: .seconds(120)),
                followMinutes: 45
            )
        )
    }

    /// A request to be answered every hour for five days.
    func scheduleRequest(
        suite: Suite = .x25519,
        publicKey: [UInt8],
        at issued: WallTime = WallTime(milliseconds: 1_800_000_001_000),
        until end: WallTime = WallTime(milliseconds: 1_800_500_000_000)
    ) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: RequestID(bytes: Array(16..<32)) ?? { throw FixtureError() }(),
                grant: self.grant(),
                precision: .full,
                suite: suite,
                publicKey: publicKey,
                issued: issued,
                expires: issued.advanced(by: .seconds(120)),
                repetition: Repetition(everyMinutes: 60, until: end)
            )
        )
    }

    func request(suite: Suite, publicKey: [UInt8]) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: RequestID(bytes: Array(16..<32)) ?? { throw FixtureError() }(),
                grant: self.grant(),
                precision: .full,
                suite: suite,
                publicKey: publicKey,
                issued: WallTime(milliseconds: 1_800_000_001_000),
                expires: WallTime(milliseconds: 1_800_000_121_000)
            )
        )
    }
}

struct FixtureError: Error {}

let berlin = Result {
    try SharedFix(
        latitude: 52.5200066,
        longitude: -13.404954,
        horizontalAccuracy: 4.5,
        time: WallTime(milliseconds: 1_800_000_002_345),
        altitude: 34.25,
        course: 271.5,
        speed: 1.25
    )
}

let timings = DeviceTimings(started: .milliseconds(12), fix: .milliseconds(345), sealed: .milliseconds(346))

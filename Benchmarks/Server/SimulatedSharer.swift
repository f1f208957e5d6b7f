internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A person whose device answers each request with the same position.
///
/// It checks, seals and signs as a device does, but keeps its keys in memory: the writes of a device are on another disk.
struct SimulatedSharer: Sendable {
    private static let topic = "com.example.FindFriends"

    /// The device token.
    let token: [UInt8]
    private let identity: Identity
    private let pushKey: RequestKey

    init(number: Int) throws {
        self.token = Array(repeating: 0, count: 31) + [UInt8(number)]
        self.identity = try Identity()
        self.pushKey = try HPKESealing().makeKey(suite: SealedPush.suite)
    }

    /// The signed registration of the device.
    func registration() throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let (id, now) = (DeviceID(using: &generator), WallTime.now)
        let device = try RegisteredDevice(
            id: id,
            chosen: now,
            pushKey: self.pushKey.publicKey,
            sealedName: DeviceName.seal("", of: id, by: self.identity)
        )
        let registration = try Registration(
            sharer: self.identity.publicIdentity,
            token: self.token,
            topic: Self.topic,
            issued: now,
            device: device
        )
        return try self.identity.sign(registration).bytes
    }

    /// A new grant, which allows 30 requests in a row.
    func grant(to requester: PublicIdentity) throws -> Signed<Grant> {
        var generator = SystemRandomNumberGenerator()
        let grant = try Grant(
            to: requester,
            by: self.identity.publicIdentity,
            precision: .full,
            for: .seconds(3600),
            atMostEvery: .zero,
            using: &generator,
            now: .now
        )
        return try self.identity.sign(grant)
    }

    /// Opens a push.
    func request(in payload: [UInt8]) throws -> Signed<Request> {
        let json = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        let sealed = try PushPayload.sealed(in: json ?? [:])
        return try SealedPush.open(sealed, with: self.pushKey, topic: Self.topic, HPKESealing())
    }

    /// The signed answer to a request.
    func answer(to request: Signed<Request>) throws -> [UInt8] {
        let request = try request.verified().signed
        let fix = try SharedFix(latitude: 53.5436, longitude: 9.9887, horizontalAccuracy: 5, time: .now)
        let timings = DeviceTimings(started: .zero, fix: .zero, sealed: .zero)
        let (key, suite) = (request.value.publicKey, request.value.suite)
        let sealed = try HPKESealing().seal(to: key, suite: suite, info: request.info) {
            Answer(content: .fix(fix), timings: timings).paddedBytes
        }
        let answer = SealedAnswer(request: request.value.id, sharer: self.identity.publicIdentity, sealed: sealed)
        return try self.identity.sign(answer).bytes
    }
}

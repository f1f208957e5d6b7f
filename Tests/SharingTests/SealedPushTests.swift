internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsPushEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for a request in a push: the push service learns which device is woken, and nothing else.
struct SealedPushTests {
    private static let topic = "com.example.FindFriends"
    private let directory: TemporaryDirectory
    private let pair: Pair
    private let sealing = HPKESealing()
    private let key: RequestKey

    init() throws {
        self.directory = try TemporaryDirectory()
        self.pair = try Pair()
        self.key = try self.sealing.makeKey(suite: SealedPush.suite)
    }

    private func requests() throws -> [Signed<Request>] {
        let all = try self.pair.grant(hours: Pair.hours, usesMax: 3, asksPerson: true, followMinutesMax: 1440)
        func longest(_ minutes: UInt16?, _ repetition: Repetition?) throws -> Signed<Request> {
            try self.pair.requester.sign(
                Request(
                    id: RequestID(high: 1, low: 2),
                    grant: all,
                    precision: .full,
                    suite: .xWing,
                    publicKey: Array(repeating: 255, count: Suite.xWing.publicKeyByteCount),
                    issued: WallTime(milliseconds: 1),
                    expires: WallTime(milliseconds: 2),
                    followMinutes: minutes,
                    repetition: repetition
                )
            )
        }
        let repetition = Repetition(everyMinutes: 60, until: WallTime(milliseconds: 3))
        return [
            try self.pair.request(suite: .x25519, publicKey: self.key.publicKey),
            try self.pair.followRequest(publicKey: self.key.publicKey),
            try self.pair.scheduleRequest(publicKey: self.key.publicKey), try longest(1440, nil),
            try longest(nil, repetition),
        ]
    }

    private func push(_ request: Signed<Request>, topic: String = Self.topic, to key: [UInt8]? = nil) throws -> [UInt8]
    {
        let sealed = try SealedPush.seal(request, to: key ?? self.key.publicKey, topic: topic, self.sealing)
        return sealed
    }

    /// Goal: neither the content nor the length of a push reveals whether it is a request, a live share or a schedule.
    @Test func everyPushHasOneFormAndOneLength() throws {
        let requests = try self.requests()
        #expect(requests.map(\.bytes.count).max() == Request.longestByteCount)
        for request in requests {
            let sealed = try self.push(request)
            #expect(sealed.count == SealedPush.byteCount)
            #expect(try SealedPush.open(sealed, with: self.key, topic: Self.topic, self.sealing) == request)
            for secret in [
                request.value.id.bytes, request.value.grant.value.id.bytes, self.pair.sharer.publicIdentity.bytes,
                self.pair.requester.publicIdentity.bytes,
            ] { #expect(!sealed.contains(secret)) }
        }
    }

    /// Goal: the payload has exactly the form that relays accept.
    @Test func thePayloadHasOneForm() throws {
        let registration = try self.pair.registration(topic: Self.topic, key: self.key.publicKey)
        for request in try self.requests() {
            let push = try #require(RequestPush(of: request, to: registration))
            let json = String(decoding: try PushPayload.json(of: push, self.sealing), as: UTF8.self)
            #expect(json.utf8.count == 2833)
            #expect(SealedPayload.isSealed(Array(json.utf8)), "a relay sends it on")
            let text = try #require(
                json.wholeMatch(of: /\{"aps":\{\},"whereabouts":\{"sealed":"([A-Za-z0-9_-]+)"\}\}/)?.1
            )
            #expect(Base64URL.bytes(of: String(text))?.count == SealedPush.byteCount)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            let sealed = try PushPayload.sealed(in: object)
            #expect(try SealedPush.open(sealed, with: self.key, topic: Self.topic, self.sealing) == request)
        }
        // A paused device has no token.
        #expect(try RequestPush(of: self.requests()[0], to: registration.paused) == nil)
    }

    /// The two kinds of notices for a volunteer's phone, the first one with maximum length.
    private func notices() throws -> [ResponderNotice] {
        let (id, incident) = (AlertID(high: 3, low: 4), IncidentID(high: 1, low: 2))
        let dispatcher = self.pair.requester.publicIdentity
        let alert = SealedAlert(
            alert: id,
            incident: incident,
            dispatcher: dispatcher,
            role: .patient,
            sealed: Array(repeating: 7, count: SealedAlert.sealedBytesMax)
        )
        let known = Incident(
            id: incident,
            cell: Grid.Cell(row: 15_834, column: 20_905),
            priority: .arrest,
            responders: 2,
            needsAED: true,
            signed: WallTime(seconds: 1_800_000_000)
        )
        let opening = IncidentOpening(
            incident: try #require(known),
            dispatcher: dispatcher,
            suite: .xWing,
            publicKey: Array(repeating: 9, count: Suite.xWing.publicKeyByteCount)
        )
        let signed = try self.pair.requester.sign(#require(alert))
        let ends = (1...7).compactMap { Responder.End(number: $0) }
        #expect(Set(ends).count == 7 && Responder.End(number: 0) == nil && Responder.End(number: 8) == nil)
        return try [.alert(signed, of: self.pair.requester.sign(opening))] + ends.map { .ended(id, $0) }
    }

    @Test func aNoticeToAVolunteerLooksLikeARequest() throws {
        let notices = try self.notices()
        for notice in notices {
            let key = self.key.publicKey
            let sealed = try SealedPush.seal(notice, to: key, topic: Self.topic, self.sealing)
            #expect(sealed.count == SealedPush.byteCount)
            #expect(try SealedPush.openNotice(sealed, with: self.key, topic: Self.topic, self.sealing) == notice)
            #expect(throws: SharingError.self) {
                try SealedPush.open(sealed, with: self.key, topic: Self.topic, self.sealing)
            }
            #expect(throws: SharingError.self) { try ResponderNotice(bytes: notice.bytes + [0]) }
            #expect(throws: SharingError.self) { try ResponderNotice(bytes: notice.bytes.dropLast()) }
        }
        let request = try self.push(self.requests()[0])
        #expect(throws: SharingError.self) {
            try SealedPush.openNotice(request, with: self.key, topic: Self.topic, self.sealing)
        }
        #expect(throws: SharingError.self) { try ResponderNotice(bytes: [3]) }
        let end = try #require(notices.last).bytes
        #expect(throws: SharingError.self) { try ResponderNotice(bytes: end.dropLast() + [8]) }
    }

    @Test func aPushThatDoesNotOpenIsRefused() throws {
        let request = try self.requests()[0]
        let sealed = try self.push(request)
        func refuses(_ sealed: [UInt8], topic: String = Self.topic, _ key: RequestKey? = nil) {
            #expect(throws: SharingError.self) {
                try SealedPush.open(sealed, with: key ?? self.key, topic: topic, self.sealing)
            }
        }
        refuses(sealed, try self.sealing.makeKey(suite: SealedPush.suite))
        refuses(sealed, topic: "com.example.Other")
        refuses([])
        refuses(sealed.dropLast())
        refuses(sealed + [0])
        for place in [0, 31, 32, 1000, sealed.count - 1] {
            var changed = sealed
            changed[place] ^= 1
            refuses(changed)
        }
        // An ephemeral key of low order, with which everybody knows the secret.
        refuses(Array(repeating: 0, count: 32) + sealed.dropFirst(32))
        // Contents that another program sealed: wrong padding, too long, not a request, empty.
        let bytes = request.bytes
        let count = [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
        let rest = SealedPush.paddedByteCount - 2 - bytes.count
        for padded in [
            count + bytes + Array(repeating: 1, count: rest), [255, 255] + bytes + Array(repeating: 0, count: rest),
            [0, 0] + Array(repeating: 0, count: rest + bytes.count),
            [0, 4, 1, 2, 3, 4] + Array(repeating: 0, count: rest + bytes.count - 4),
        ] {
            let info = SealedPush.info(topic: Self.topic)
            refuses(
                try self.sealing.seal(to: self.key.publicKey, suite: SealedPush.suite, info: info) { padded }
            )
        }
    }

    /// Goal: the size of a request's body does not reveal whether it asks for a live share.
    @Test func everyRequestIsPostedInOneSize() async throws {
        let requests = try self.requests()
        for request in requests {
            #expect(request.postedBytes.count == Signed<Request>.postedByteCount)
            #expect(try Signed<Request>(postedBytes: request.postedBytes) == request)
            #expect(try Signed<Request>(postedBytes: request.bytes) == request)
            #expect(throws: SharingError(.badBytes, "")) { try Signed<Request>(postedBytes: request.bytes + [0, 1]) }
        }
        let profile = try self.directory.profile("asks")
        let sharer = try Sharer(profile: self.directory.profile("shares"))
        let grant = try sharer.approve(requester: profile.identity.publicIdentity, precision: .full, for: .seconds(60))
        let server = RefusingServer()
        let requester = try Requester(profile: profile, transport: server)
        // The key of one suite has 1,184 bytes more than that of the other.
        for await _ in requester.ask(grant, precision: .full, suite: .xWing) {}
        for await _ in requester.ask(grant, precision: .reduced, suite: .x25519) {}
        #expect(server.sizes.withLock { $0 } == Array(repeating: Signed<Request>.postedByteCount, count: 2))
    }

    /// Refuses each request, and keeps its size.
    private final class RefusingServer: ServerTransport {
        let sizes = Mutex<[Int]>([])

        func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
            self.sizes.withLock { $0.append(request.body?.count ?? 0) }
            return ServerReply(status: 403)
        }

        func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int { 404 }
    }

    @Test func aRequestThatFitsNoPushIsAnError() throws {
        let request = Signed(value: try self.requests()[0].value, signature: Array(repeating: 0, count: 3000))
        #expect(throws: SharingError(.badBytes, "")) { try self.push(request) }
    }

    // MARK: The profile

    /// Records the registrations that it receives, lists no devices, and accepts every answer.
    private final class Server: ServerTransport {
        let posted = Mutex<[[UInt8]]>([])
        let refuses = Mutex(false)
        /// The servers of early connections, and the posted paths.
        let calls = Mutex<[String]>([])

        func connect(to server: String) async { self.calls.withLock { $0.append(server) } }

        func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
            guard let body = request.body else { return ServerReply(status: 404) }
            self.calls.withLock { $0.append(String(request.url.suffix(7))) }
            guard request.url.hasSuffix("/v1/devices") else {
                let delivery = Wire.Delivery(state: .answered, pending: [])
                return ServerReply(status: 200, body: [UInt8](try JSONEncoder().encode(delivery)))
            }
            if self.refuses.withLock({ $0 }) { return ServerReply(status: 429) }
            self.posted.withLock { $0.append(body) }
            return ServerReply(status: 204)
        }

        func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int { 404 }

        func registrations() throws -> [Registration] {
            try self.posted.withLock { try $0.map { try Signed<Registration>(bytes: $0).verified().value } }
        }
    }

    private func register(_ profile: SharingProfile, _ server: Server, topic: String = Self.topic) async throws {
        try await Sharer(profile: profile, transport: server).register(deviceToken: Data([1, 2]), topic: topic)
    }

    @Test func theFileOfADeviceIsItsOwners() async throws {
        let (profile, server) = (try self.directory.profile("a"), Server())
        #expect(try profile.deviceFile.device() == nil)
        try await self.register(profile, server)
        let device = try #require(try profile.deviceFile.device())
        #expect(try server.registrations().map(\.device.pushKey) == [device.keys.newest.publicKey])
        let mode = try FileManager.default.attributesOfItem(atPath: profile.path + "/device.json")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    /// Makes the server confirm the keys of a device earlier.
    private func age(_ profile: SharingProfile, _ seconds: Int) throws {
        try profile.deviceFile.change { known in
            var device = try #require(known)
            let entries = device.keys.entries.map { entry in
                PushKeys.Entry(key: entry.key, registered: entry.registered?.advanced(by: .seconds(-seconds)))
            }
            device.keys = try #require(PushKeys(restoring: entries))
            return ((), device)
        }
    }

    /// Answers a push that was sealed to a key, like an extension that started some time ago.
    private func answer(
        _ profile: SharingProfile,
        _ server: Server,
        pushedTo key: RequestKey,
        after time: Duration = .zero
    ) async throws {
        let sharer = try Sharer(profile: profile, transport: server)
        let receipt = try sharer.receive(pushPayload: self.payload(to: sharer, pushedTo: key)).receipt
        let began = ContinuousClock.now - time
        let incoming = IncomingRequest(receipt: receipt, received: began, started: began)
        try await sharer.respond(to: incoming) { try berlin.get() }
    }

    /// A push with a request under a new grant of a sharer.
    private func payload(to sharer: Sharer, pushedTo key: RequestKey) throws -> [String: Any] {
        let requester = self.pair.requester
        let grant = try sharer.approve(requester: requester.publicIdentity, precision: .full, for: .seconds(60))
        var generator = SystemRandomNumberGenerator()
        let request = Request(
            under: grant,
            precision: .full,
            suite: .x25519,
            publicKey: self.key.publicKey,
            using: &generator,
            now: .now
        )
        let sealed = Base64URL.text(of: try self.push(requester.sign(request), to: key.publicKey))
        return ["whereabouts": ["sealed": sealed]]
    }

    /// Goal: the connection is ready when the answer is, and a push without an answer does not show that the device is
    /// awake.
    @Test func onlyARequestThatIsAnsweredConnects() async throws {
        // A process connects early to a server once, so no other test may use this one.
        let settings = try ServerSettings(server: "https://early.example")
        let profile = try SharingProfile.openOrCreate(path: self.directory.path + "/a", settings: settings)
        let device = try profile.deviceFile.device(for: Self.topic, token: [1], self.sealing, after: [], now: .now)
        let server = Server()
        let sharer = try Sharer(profile: profile, transport: server)
        let payload = try self.payload(to: sharer, pushedTo: device.keys.newest)
        let incoming = try sharer.receive(pushPayload: payload)
        #expect(throws: SharingError(.replayed, "")) { try sharer.receive(pushPayload: payload) }
        #expect(throws: SharingError(.badPush, "")) { try sharer.receive(pushPayload: [:]) }
        #expect(server.calls.withLock { $0 } == [])
        try await sharer.respond(to: incoming) { try berlin.get() }
        #expect(server.calls.withLock { $0.prefix(2) } == [settings.server, "/answer"])
        let second = try sharer.receive(pushPayload: self.payload(to: sharer, pushedTo: device.keys.newest))
        try await sharer.respond(to: second) { try berlin.get() }
        #expect(server.calls.withLock { $0.filter { $0 == settings.server } }.count == 1)
    }

    /// Goal: the key is renewed each day even if the app never runs, and only the extension is woken.
    @Test func anExtensionRenewsTheKeyAfterItsAnswer() async throws {
        let (profile, server) = (try self.directory.profile("a"), Server())
        try await self.register(profile, server)
        let first = try #require(try profile.deviceFile.device()).keys.newest
        try self.age(profile, 86_390)
        try await self.answer(profile, server, pushedTo: first)
        #expect(try profile.deviceFile.device()?.keys.newest == first && server.registrations().count == 1)
        // The server does not confirm the next key: the present one stays.
        try self.age(profile, 10)
        server.refuses.withLock { $0 = true }
        try await self.answer(profile, server, pushedTo: first)
        let second = try #require(try profile.deviceFile.device()).keys.newest
        let later = WallTime.now.advanced(by: PushKeys.overlap + .seconds(60))
        #expect(try second != first && profile.deviceFile.device()?.keys.opening(now: later) == [second, first])
        server.refuses.withLock { $0 = false }
        try await self.answer(profile, server, pushedTo: first)
        #expect(try server.registrations().map(\.device.pushKey) == [first.publicKey, second.publicKey])
        #expect(try profile.deviceFile.device()?.keys.opening(now: later) == [second])
        try await self.answer(profile, server, pushedTo: second)
        #expect(try server.registrations().count == 2)
    }

    /// Goal: an extension whose answer came late leaves the key to the next answer: a registration could exceed its 30
    /// s.
    @Test func aLateAnswerRenewsNoKey() async throws {
        let (profile, server) = (try self.directory.profile("a"), Server())
        try await self.register(profile, server)
        let first = try #require(try profile.deviceFile.device()).keys.newest
        try self.age(profile, 86_400)
        try await self.answer(profile, server, pushedTo: first, after: .seconds(15))
        #expect(try profile.deviceFile.device()?.keys.newest == first && server.registrations().count == 1)
        try await self.answer(profile, server, pushedTo: first, after: .seconds(5))
        #expect(try profile.deviceFile.device()?.keys.newest != first && server.registrations().count == 2)
    }

    /// Goal: a running app renews the key on the day that it is a day old.
    @Test func anAppThatRunsRegistersMoreOftenThanTheKeyChanges() {
        #expect(Enrolling.renewal < PushKeys.overlap && PushKeys.overlap < PushKeys.lifetime)
    }

    /// Goal: a stolen key opens the pushes of at most two days, and a push in transit during a key change can be
    /// opened.
    @Test func theKeyIsRenewedEachDay() async throws {
        let (profile, server) = (try self.directory.profile("a"), Server())
        try await self.register(profile, server)
        let first = try #require(try profile.deviceFile.device()).keys.newest
        func age(_ seconds: Int) throws { try self.age(profile, seconds) }
        func opens(_ key: RequestKey) throws -> Bool {
            let text = Base64URL.text(of: try self.push(self.requests()[0], to: key.publicKey))
            return (try? profile.deviceFile.request(in: ["whereabouts": ["sealed": text]], self.sealing, now: .now))
                != nil
        }
        try age(86_390)
        try await self.register(profile, server)
        #expect(try profile.deviceFile.device()?.keys.newest == first)
        try age(10)
        try await self.register(profile, server)
        let second = try #require(try profile.deviceFile.device()).keys.newest
        #expect(second != first)
        #expect(try server.registrations().last?.device.pushKey == second.publicKey)
        #expect(try opens(first) && opens(second))
        try age(3590)
        #expect(try opens(first) && opens(second))
        try age(10)
        #expect(try !opens(first) && opens(second))
        // The registration after that deletes it.
        #expect(try profile.deviceFile.device()?.keys.entries.count == 2)
        try await self.register(profile, server)
        #expect(try profile.deviceFile.device()?.keys.entries.count == 1)
    }

    /// Goal: pushes can be opened whether or not the server received a registration whose reply was lost.
    @Test func bothKeysOpenUntilTheServerConfirmed() throws {
        var keys = PushKeys(self.key)
        keys.registered(self.key.publicKey, now: WallTime(milliseconds: 0))
        let day = WallTime(milliseconds: 86_400_000)
        try keys.renew(now: day) { try self.sealing.makeKey(suite: SealedPush.suite) }
        let later = WallTime(milliseconds: 864_000_000)
        #expect(keys.opening(now: later) == [keys.newest, self.key])
        let before = keys
        try keys.renew(now: later) { throw FixtureError() }
        #expect(keys == before)
        keys.registered(keys.newest.publicKey, now: later)
        #expect(keys.opening(now: later.advanced(by: .seconds(3600))) == [keys.newest])
    }

    /// Goal: all registrations of a day contain the same key.
    @Test func aDeviceKeepsItsKey() async throws {
        let (profile, server) = (try self.directory.profile("a"), Server())
        for _ in 0..<2 { try await self.register(SharingProfile(path: profile.path), server) }
        try await self.register(profile, server, topic: "com.example.Other")
        let all = try server.registrations()
        #expect(Set(all.map(\.device.pushKey)).count == 1 && Set(all.map(\.device.id)).count == 1)
        #expect(Set(all.map(\.device.chosen)).count == 1 && Set(all.map(\.issued)).count == 3)
        #expect(try profile.deviceFile.device()?.topic == "com.example.Other")
        let device = try #require(all.last).device
        #expect(DeviceName.open(device.sealedName, of: device.id, by: profile.identity) == "")
    }

    /// Goal: a restored backup neither merges two devices nor contains a device's key.
    @Test func aRestoredHomeIsAnotherDevice() async throws {
        let (profile, server) = (try self.directory.profile("a"), Server())
        try await self.register(profile, server)
        let backup = try profile.backup(passphrase: "correct horse battery staple", cost: 10)
        let path = "\(self.directory.path)/b"
        let restored = try SharingProfile.restore(backup, passphrase: "correct horse battery staple", path: path)
        #expect(try restored.deviceFile.device() == nil)
        try await self.register(restored, server)
        let all = try server.registrations()
        #expect(Set(all.map(\.device.pushKey)).count == 2 && Set(all.map(\.device.id)).count == 2)
        #expect(Set(all.map(\.sharer)).count == 1)
        // If it is chosen later, it answers; pushes sealed to the other device do not open here.
        let chosen = all.map { $0.device.chosen }
        #expect(chosen[0] < chosen[1])
        let (old, new) = (try #require(try profile.deviceFile.device()), try #require(try restored.deviceFile.device()))
        let sealed = try self.push(self.requests()[0], to: old.keys.newest.publicKey)
        let payload = ["whereabouts": ["sealed": Base64URL.text(of: sealed)]]
        #expect(throws: SharingError(.badPush, "")) {
            try restored.deviceFile.request(in: payload, self.sealing, now: .now)
        }
        #expect(try profile.deviceFile.request(in: payload, self.sealing, now: .now) == self.requests()[0])
        #expect(old.keys != new.keys)
    }

    @Test func aDeviceWithoutAKeyOpensNothing() throws {
        let profile = try self.directory.profile("a")
        let sealed = try self.push(self.requests()[0])
        for text in [Base64URL.text(of: sealed), "", "AAAA", "?"] {
            #expect(throws: SharingError(.badPush, "")) {
                try Sharer(profile: profile).receive(pushPayload: ["whereabouts": ["sealed": text]])
            }
        }
    }

    @Test(arguments: ["", "{", "{}", "{\"id\":\"x\"}", "null"])
    func aDamagedDeviceIsNamed(text: String) async throws {
        let profile = try self.directory.profile("a")
        let path = profile.path + "/device.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = await #expect(throws: SharingError.self) { try await self.register(profile, Server()) }
        #expect(error?.code == .badProfile && error?.message.contains(path) == true)
    }

    // MARK: The statement

    /// Goal: a registration cannot be changed in transit, and always contains a key.
    @Test func everyByteOfARegistrationCounts() throws {
        let registration = try self.pair.registration(token: Array(repeating: 1, count: 100), key: self.key.publicKey)
        for registration in [registration, registration.paused] {
            let bytes = try self.pair.sharer.sign(registration).bytes
            #expect(try Signed<Registration>(bytes: bytes).verified().value == registration)
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1
                #expect(throws: SharingError.self) { try Signed<Registration>(bytes: changed).verified() }
            }
        }
    }

    /// Goal: the server refuses a registration with a key whose secret anyone knows.
    @Test(arguments: [UInt8(0), 1]) func aKeyOfLowOrderRegistersNoDevice(first: UInt8) throws {
        let registration = try self.pair.registration(key: [first] + Array(repeating: 0, count: 31))
        #expect(throws: SharingError(.badBytes, "")) { try self.pair.sharer.sign(registration).verified() }
    }

    @Test func aNameIsThePersonsAlone() throws {
        let (id, other) = (DeviceID(high: 1, low: 2), DeviceID(high: 1, low: 3))
        let longest = String(repeating: "é", count: DeviceName.byteCountMax / 2)
        for name in ["", "Ada’s phone", longest] {
            let sealed = try DeviceName.seal(name, of: id, by: self.pair.sharer)
            #expect(sealed.count == RegisteredDevice.sealedNameByteCount)
            #expect(DeviceName.open(sealed, of: id, by: self.pair.sharer) == name)
            #expect(DeviceName.open(sealed, of: other, by: self.pair.sharer) == nil)
            #expect(DeviceName.open(sealed, of: id, by: self.pair.requester) == nil)
        }
        for name in [longest + "a", "a\nb", "a\u{7F}", "\u{1B}[2J"] {
            #expect(throws: SharingError(.badText, "")) { try DeviceName.seal(name, of: id, by: self.pair.sharer) }
        }
    }
}

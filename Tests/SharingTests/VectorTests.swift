internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// The vectors of `docs/protocol/sharing-vectors.txt`, with which other implementations can check themselves.
struct VectorTests {
    private static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/protocol/sharing-vectors.txt").path(percentEncoded: false)

    private func vectors() throws -> [String: String] {
        let lines = try String(contentsOfFile: Self.path, encoding: .utf8).split(separator: "\n")
        let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " = ", maxSplits: 1) }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
    }

    private func expect(_ name: String, _ bytes: [UInt8], _ vectors: [String: String]) {
        #expect(vectors[name] == Hex.text(of: bytes), "\(name)")
    }

    @Test func statements() throws {
        let vectors = try self.vectors()
        let pair = try Pair()
        self.expect("sharer", pair.sharer.publicIdentity.bytes, vectors)
        #expect(vectors["sharer-text"] == pair.sharer.publicIdentity.text)
        #expect(vectors["sharer-safety-number"] == pair.sharer.publicIdentity.safetyNumber)
        let grant = try pair.grant()
        self.expect("grant", grant.bytes, vectors)
        #expect(vectors["grant-text"] == grant.text)
        self.expect("revocation", try pair.sharer.sign(Revocation(of: grant.value)).bytes, vectors)
        let sharer = pair.sharer.publicIdentity
        let id = try pair.request(suite: .x25519, publicKey: []).value.id
        self.expect(
            "progress",
            try pair.sharer.sign(DeviceReport(request: id, sharer: sharer, progress: .locating)).bytes,
            vectors
        )
        self.expect(
            "read",
            try pair.requester.sign(ReadPermit(request: id, requester: pair.requester.publicIdentity)).bytes,
            vectors
        )
        self.expect("answer-content", Answer(content: .fix(try berlin.get()), timings: timings).paddedBytes, vectors)
        self.expect("refusal-content", Answer(content: .refusal(.notConsented), timings: timings).paddedBytes, vectors)
    }

    /// Computed by another implementation (Python's `cryptography`).
    @Test func grantsWithLimits() throws {
        let vectors = try self.vectors()
        let grant = try Pair().grant(hours: Pair.hours, usesMax: 3)
        self.expect("grant-hours", grant.bytes, vectors)
        #expect(vectors["grant-hours-text"] == grant.text)
        self.expect("grant-uses", try Pair().grant(precision: .reduced, usesMax: 65_535).bytes, vectors)
        self.expect("grant-asks", try Pair().grant(asksPerson: true).bytes, vectors)
        #expect(try Signed<Grant>(text: #require(vectors["grant-hours-text"])) == grant)
    }

    /// Computed by another implementation (Python's `cryptography`, with HPKE by RFC 9180).
    @Test func followings() throws {
        let vectors = try self.vectors()
        func bytes(_ key: String) throws -> [UInt8] {
            let text = try #require(vectors[key])
            return try #require(Hex.bytes(of: text))
        }
        let pair = try Pair()
        self.expect("grant-follow", try pair.grant(followMinutesMax: 60).bytes, vectors)
        let all = try pair.grant(hours: Pair.hours, usesMax: 3, asksPerson: true, followMinutesMax: 1440)
        self.expect("grant-all", all.bytes, vectors)
        let key = RequestKey(
            suite: .x25519,
            publicKey: try bytes("x25519-public-key"),
            secret: try bytes("x25519-secret-key")
        )
        let request = try pair.followRequest(publicKey: key.publicKey)
        self.expect("x25519-follow-request", request.bytes, vectors)
        self.expect("x25519-follow-info", request.followingInfo, vectors)
        #expect(try Signed<Request>(bytes: request.bytes).verified().value.followMinutes == 45)

        let time = WallTime(milliseconds: 1_800_000_003_456)
        func update(_ run: UInt32, _ count: UInt32, _ silence: UInt16, _ place: FollowedPlace) -> FollowedUpdate {
            FollowedUpdate(number: .init(run: run, count: count), time: time, silenceMax: silence, place: place)
        }
        let (fix, since) = (try berlin.get(), WallTime(milliseconds: 1_800_000_000_500))
        let still = update(2, 7, 3600, .still(fix, since: since))
        self.expect("update-moving", update(1, 0, 90, .moving(fix)).paddedBytes, vectors)
        self.expect("update-still", still.paddedBytes, vectors)
        self.expect("update-unknown", update(.max, .max, .max, .unknown("no sky")).paddedBytes, vectors)
        let sealed = try Signed<SealedUpdate>(bytes: bytes("x25519-update")).verified().value
        let opened = try HPKESealing().open(sealed.sealed, with: key, info: request.followingInfo)
        #expect(try FollowedUpdate(paddedBytes: opened) == still)

        let end = WallTime(milliseconds: 1_800_000_009_999)
        for (name, signer, reason) in [
            ("following-end-sharer", pair.sharer, FollowingEnd.Reason.bySharer),
            ("following-end-follower", pair.requester, .lost),
        ] {
            let statement = try signer.sign(
                FollowingEnd(request: request.value.id, author: signer.publicIdentity, time: end, reason: reason)
            )
            self.expect(name, statement.bytes, vectors)
            #expect(try Signed<FollowingEnd>(bytes: statement.bytes).verified().value.isOf(request.value))
        }
    }

    /// Sealing is random, so the recorded answers are opened, not created again.
    @Test(arguments: [("x25519", Suite.x25519), ("x-wing", Suite.xWing)])
    func sealedAnswers(name: String, suite: Suite) throws {
        let vectors = try self.vectors()
        func bytes(_ key: String) throws -> [UInt8] {
            let text = try #require(vectors["\(name)-\(key)"])
            return try #require(Hex.bytes(of: text))
        }
        let key = RequestKey(suite: suite, publicKey: try bytes("public-key"), secret: try bytes("secret-key"))
        let request = try Pair().request(suite: suite, publicKey: key.publicKey)
        #expect(try bytes("request") == request.bytes)
        #expect(try bytes("info") == request.info)
        let answer = try Signed<SealedAnswer>(bytes: bytes("answer")).verified().value
        let opened = try HPKESealing().open(answer.sealed, with: key, info: request.info)
        #expect(try Answer(paddedBytes: opened) == Answer(content: .fix(try berlin.get()), timings: timings))
    }

    /// Computed by another implementation (Python's `cryptography`, with HPKE by RFC 9180).
    @Test func sealedPushes() throws {
        let vectors = try self.vectors()
        func bytes(_ key: String) throws -> [UInt8] {
            let text = try #require(vectors[key])
            return try #require(Hex.bytes(of: text))
        }
        let (pair, topic) = (try Pair(), "com.example.FindFriends")
        let key = RequestKey(
            suite: .x25519AES,
            publicKey: try bytes("push-public-key"),
            secret: try bytes("push-secret-key")
        )
        let signed = try Signed<Registration>(bytes: bytes("registration"))
        let registration = try signed.verified().value
        let device = registration.device
        #expect(registration.sharer == pair.sharer.publicIdentity && registration.token == [0xAA, 0xBB])
        #expect(registration.topic == topic && registration.issued == WallTime(milliseconds: 1_800_000_001_000))
        #expect(device.id == DeviceID(bytes: Array(0x30..<0x40)) && device.pushKey == key.publicKey)
        #expect(device.chosen == WallTime(milliseconds: 1_800_000_000_500))
        #expect(DeviceName.open(device.sealedName, of: device.id, by: pair.sharer) == "Ada’s phone")
        self.expect("registration", try pair.sharer.sign(registration).bytes, vectors)
        let sharer = registration.sharer
        self.expect(
            "device-removal",
            try pair.sharer.sign(DeviceRemoval(device: device.id, sharer: sharer)).bytes,
            vectors
        )
        self.expect("devices", try pair.sharer.sign(DevicesPermit(sharer: sharer)).bytes, vectors)
        self.expect("push-info", SealedPush.info(topic: topic), vectors)
        let sealed = try bytes("push-sealed")
        let request = try SealedPush.open(sealed, with: key, topic: topic, HPKESealing())
        self.expect("x25519-request", request.bytes, vectors)
        let payload = try #require(vectors["push-payload"])
        let object = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
        #expect(try PushPayload.sealed(in: object ?? [:]) == sealed)
    }

    /// Computed by another implementation (Python's `cryptography`).
    @Test func invitationsAndLinesOfTheJournal() throws {
        let vectors = try self.vectors()
        let pair = try Pair()
        let invitation = try pair.invitation()
        self.expect("invitation", invitation.bytes, vectors)
        #expect(vectors["invitation-text"] == invitation.text)
        #expect(try Signed<Invitation>(text: invitation.text) == invitation)
        let request = try pair.request(suite: .x25519, publicKey: []).value
        let time = WallTime(milliseconds: 1_800_000_002_345)
        let end = GivenAnswers.Undelivered(
            request: request.id,
            digest: request.digest,
            grant: request.grant.value.id,
            answer: []
        )
        for (name, number, entry) in [
            ("journal-line", 2, JournalEntry(.refusal(.notConsented), to: request, at: time)),
            ("journal-end", 3, JournalEntry(.delivered, of: end, at: time)),
        ] {
            let line = JournalLine(
                number: UInt64(number),
                previous: Array(repeating: 9, count: 32),
                sharer: pair.sharer.publicIdentity,
                entry: entry
            )
            let signed = try pair.sharer.sign(line)
            self.expect(name, signed.bytes, vectors)
            #expect(try Signed<JournalLine>(bytes: signed.bytes) == signed)
        }
    }

    /// Computed by another implementation (Python's `cryptography`, with HPKE by RFC 9180).
    @Test func schedulesAndTheThirdSuite() throws {
        let vectors = try self.vectors()
        func bytes(_ key: String) throws -> [UInt8] {
            let text = try #require(vectors[key])
            return try #require(Hex.bytes(of: text))
        }
        let pair = try Pair()
        let key = RequestKey(
            suite: .x25519AES,
            publicKey: try bytes("x25519-public-key"),
            secret: try bytes("x25519-secret-key")
        )
        let request = try pair.scheduleRequest(suite: .x25519AES, publicKey: key.publicKey)
        self.expect("schedule-request", request.bytes, vectors)
        let occurrence = request.occurrence(2)
        self.expect("schedule-occurrence-2", occurrence.bytes, vectors)
        self.expect("schedule-occurrence-2-id", occurrence.value.id.bytes, vectors)
        self.expect("schedule-occurrence-2-info", occurrence.info, vectors)
        #expect(try Signed<Request>(bytes: occurrence.bytes).verified().value == occurrence.value)
        let answer = try Signed<SealedAnswer>(bytes: bytes("x25519-aes-answer")).verified().value
        #expect(answer.request == occurrence.value.id)
        let opened = try HPKESealing().open(answer.sealed, with: key, info: occurrence.info)
        #expect(try Answer(paddedBytes: opened) == Answer(content: .fix(try berlin.get()), timings: timings))
        // It opens as the answer to no other occurrence.
        #expect(throws: SharingError(.cannotOpen, "")) {
            try HPKESealing().open(answer.sealed, with: key, info: request.occurrence(1).info)
        }
        let time = WallTime(milliseconds: 1_800_000_002_345)
        for (name, number, entry) in [
            ("journal-over", 4, JournalEntry(.byFollower, of: occurrence.value, at: time)),
            ("journal-occurrence", 5, JournalEntry(.refusal(.notConsented), to: occurrence.value, at: time)),
        ] {
            let line = JournalLine(
                number: UInt64(number),
                previous: Array(repeating: 9, count: 32),
                sharer: pair.sharer.publicIdentity,
                entry: entry
            )
            let signed = try pair.sharer.sign(line)
            self.expect(name, signed.bytes, vectors)
            #expect(try Signed<JournalLine>(bytes: signed.bytes) == signed)
        }
    }
}

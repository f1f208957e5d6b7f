internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for the sharer's handling of a push, without a server.
struct SharerTests {
    let directory: TemporaryDirectory
    let sharer: Sharer
    let requester: Identity

    init() throws {
        self.directory = try TemporaryDirectory()
        self.sharer = try Sharer(profile: self.directory.profile("sharer"))
        self.requester = try self.directory.profile("requester").identity
    }

    private func request(_ grant: Signed<Grant>, lifetime: Duration = .seconds(120)) throws -> Signed<Request> {
        var generator = SystemRandomNumberGenerator()
        let now = WallTime.now
        return try self.requester.sign(
            Request(
                id: RequestID(using: &generator),
                grant: grant,
                precision: grant.value.precision,
                suite: .x25519,
                publicKey: HPKESealing().makeKey(suite: .x25519).publicKey,
                issued: now,
                expires: now.advanced(by: lifetime)
            )
        )
    }

    /// Another request with the same ID, issued a millisecond later.
    private func again(_ request: Request) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: request.id,
                grant: request.grant,
                precision: request.precision,
                suite: request.suite,
                publicKey: request.publicKey,
                issued: request.issued.advanced(by: .milliseconds(1)),
                expires: request.expires
            )
        )
    }

    private func payload(_ request: Signed<Request>) throws -> [String: Any] {
        let (topic, sealing) = ("com.example.FindFriends", HPKESealing())
        let device = try self.sharer.profile.deviceFile.device(for: topic, token: [1], sealing, now: .now)
        let sealed = try SealedPush.seal(request, to: device.keys.newest.publicKey, topic: topic, sealing)
        return ["whereabouts": ["sealed": Base64URL.text(of: sealed)]]
    }

    private func grant() throws -> Signed<Grant> {
        try self.sharer.approve(requester: self.requester.publicIdentity, precision: .full, for: .seconds(60))
    }

    @Test func requestIsReceivedOnce() throws {
        let payload = try self.payload(self.request(self.grant()))
        #expect(try self.sharer.receive(pushPayload: payload).receipt.refusal == nil)
        #expect(throws: SharingError(.replayed, "")) { try self.sharer.receive(pushPayload: payload) }
        // Another process with the same profile knows it, too.
        let other = try Sharer(profile: SharingProfile(path: self.sharer.profile.path))
        #expect(throws: SharingError(.replayed, "")) { try other.receive(pushPayload: payload) }
    }

    @Test func revokedGrantIsRefusedThoughTheServerIsDown() async throws {
        let grant = try self.grant()
        #expect(try self.sharer.profile.grants() == [grant])
        await #expect(throws: SharingError(.network, "")) { try await self.sharer.revoke(grant) }
        let incoming = try self.sharer.receive(pushPayload: self.payload(self.request(grant)))
        #expect(incoming.receipt.refusal == .revoked)
    }

    /// Goal: a failing disk does not restore consent.
    @Test func revocationsThatCannotBeReadCountAsRevoked() throws {
        let profile = self.sharer.profile
        let grant = try self.grant()
        #expect(!profile.isRevoked(grant.value.id))
        let directory = profile.path + "/revocations"
        try FileManager.default.removeItem(atPath: directory)
        #expect(profile.isRevoked(grant.value.id))
        // A file where the directory should be.
        try Data().write(to: URL(filePath: directory))
        #expect(profile.isRevoked(grant.value.id))
        let incoming = try self.sharer.receive(pushPayload: self.payload(self.request(grant)))
        #expect(incoming.receipt.refusal == .revoked)
    }

    /// Goal: a server that checks nothing gets no second position within a grant's interval.
    @Test func intervalOfAGrantIsKeptWhateverTheServerSays() throws {
        let grant = try self.sharer.approve(
            requester: self.requester.publicIdentity,
            precision: .full,
            for: .seconds(7200),
            atMostEvery: .seconds(3600)
        )
        let first = try self.sharer.receive(pushPayload: self.payload(self.request(grant)))
        #expect(first.receipt.refusal == nil)
        // Another process with the same profile knows it, too.
        let other = try Sharer(profile: SharingProfile(path: self.sharer.profile.path))
        for sharer in [self.sharer, other] {
            let incoming = try sharer.receive(pushPayload: self.payload(self.request(grant)))
            #expect(incoming.receipt.refusal == .tooSoon)
        }
        let path = self.sharer.profile.path + "/used"
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        let payload = try self.payload(self.request(grant))
        let error = #expect(throws: SharingError.self) { try other.receive(pushPayload: payload) }
        #expect(error?.code == .badProfile && error?.message.contains(path) == true)
    }

    @Test func grantLongerThanTenYearsIsAnError() throws {
        let requester = self.requester.publicIdentity
        _ = try self.sharer.approve(requester: requester, precision: .full, for: .seconds(3653 * 86_400))
        #expect(throws: SharingError(.badText, "")) {
            try self.sharer.approve(requester: requester, precision: .full, for: .seconds(3653 * 86_400 + 1))
        }
    }

    @Test func expiredRequestIsRefused() throws {
        let request = try self.request(self.grant(), lifetime: .zero)
        #expect(try self.sharer.receive(pushPayload: self.payload(request)).receipt.refusal == .requestExpired)
    }

    @Test func requestForSomeoneElseIsNotAnswered() throws {
        let other = try Sharer(profile: self.directory.profile("other"))
        let grant = try other.approve(
            requester: self.requester.publicIdentity,
            precision: .full,
            for: .seconds(60)
        )
        #expect(throws: SharingError(.notForUs, "")) {
            try self.sharer.receive(pushPayload: self.payload(self.request(grant)))
        }
    }

    @Test func pushWithoutARequestIsAnError() {
        for payload in [
            [:], ["whereabouts": "x"], ["whereabouts": ["sealed": "?"]], ["whereabouts": ["sealed": 1]],
            ["whereabouts": ["request": "AAAA"]],
        ] as [[String: Any]] {
            #expect(throws: SharingError(.badPush, "")) { try self.sharer.receive(pushPayload: payload) }
        }
    }

    /// Goal: of two processes with one profile, only one answers.
    ///
    /// Method: many threads receive one request, each with its own profile object.
    @Test func oneOfManyReceivesARequest() async throws {
        let payload = try JSONSerialization.data(withJSONObject: self.payload(self.request(self.grant())))
        let path = self.sharer.profile.path
        let received = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    guard let sharer = try? Sharer(profile: SharingProfile(path: path)),
                        let json = try? JSONSerialization.jsonObject(with: payload) as? [String: Any]
                    else { return false }
                    return (try? sharer.receive(pushPayload: json)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(received == 1)
    }

    /// Goal: if the disk lost an answer before the last one, the device answers nothing, since it may have sent that answer.
    @Test func damagedListOfGivenAnswersIsNamed() throws {
        let path = self.sharer.profile.path + "/answers"
        let payload = try self.payload(self.request(self.grant()))
        for _ in 0..<2 { try self.answer(self.request(self.grant()).value, [1, 2, 3], at: .now) }
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.startIndex] ^= 0x80
        try bytes.write(to: URL(filePath: path))
        let error = #expect(throws: SharingError.self) { try self.sharer.receive(pushPayload: payload) }
        #expect(error?.code == .badProfile && error?.message.contains(path) == true)
        try FileManager.default.removeItem(atPath: path)
        _ = try self.sharer.receive(pushPayload: payload)
    }

    private func answer(_ request: Request, _ bytes: [UInt8], at now: WallTime) throws {
        let said = Answer.Content.unavailable("no sky")
        let action = try self.sharer.profile.records().answered(
            request,
            bytes,
            saying: said,
            policy: SharingPolicy(),
            now: now
        )
        #expect(action == .answer)
    }

    private func received(_ request: Request) throws -> GivenAnswers.OnReceived {
        try self.sharer.profile.records().received(request, policy: SharingPolicy(), now: .now)
    }

    /// Goal: a crash while an answer is written loses that answer alone, which was not sent, and the next answer is kept.
    ///
    /// Method: the file ends after each byte of its second answer, and once more with zeros in place of the rest.
    @Test func anIncompleteAnswerIsDropped() throws {
        let url = URL(filePath: self.sharer.profile.path + "/answers")
        let requests = try (0..<3).map { _ in try self.request(self.grant()).value }
        try self.answer(requests[0], [1], at: .now)
        let first = try Data(contentsOf: url)
        try self.answer(requests[1], [2], at: .now)
        let second = try Data(contentsOf: url)
        #expect(second.starts(with: first), "an answer is appended")
        for count in first.count..<second.count {
            for zeros in [0, second.count - count] {
                // The check may end with zeros.
                guard second.prefix(count) + Data(count: zeros) != second else { continue }
                try (second.prefix(count) + Data(count: zeros)).write(to: url)
                #expect(try self.received(requests[0]) == .deliver([1]), "at \(count)")
                #expect(try self.received(requests[1]) == .answer, "at \(count)")
            }
        }
        try self.answer(requests[2], [3], at: .now)
        #expect(try requests.map(self.received) == [.deliver([1]), .answer, .deliver([3])])
    }

    /// Goal: the file of the answers stays small, and none that it must keep is dropped.
    @Test func theListOfGivenAnswersStaysSmall() throws {
        let profile = self.sharer.profile
        let policy = SharingPolicy()
        let begin = WallTime.now.advanced(by: .seconds(-12_000))
        var last: [Request] = []
        for number in 0..<400 {
            let request = try self.request(self.grant()).value
            try self.answer(request, Array(repeating: 7, count: 700), at: begin.advanced(by: .seconds(30 * number)))
            if let given = profile.records().undelivered.first { profile.records().ended(given, .delivered, now: .now) }
            last = (last + [request]).suffix(20)
            let size = try FileManager.default.attributesOfItem(atPath: profile.path + "/answers")[.size] as? Int
            #expect(try #require(size) <= 24 << 10)
        }
        let now = begin.advanced(by: .seconds(30 * 400))
        for request in last { #expect(try profile.records().received(request, policy: policy, now: now) == .replayed) }
    }

    /// Goal: an answer is on disk before it is sent, and stays there until the server has it.
    @Test func answerIsKeptUntilItIsDelivered() throws {
        let (profile, request) = (self.sharer.profile, try self.request(self.grant()).value)
        let payload = try self.payload(self.request(self.grant()))
        #expect(try profile.records().received(request, policy: SharingPolicy(), now: .now) == .answer)
        let said = Answer.Content.unavailable("no sky")
        #expect(
            try profile.records().answered(request, [1, 2, 3], saying: said, policy: SharingPolicy(), now: .now)
                == .answer
        )
        // Another process with the same profile knows it, too.
        let other = try SharingProfile(path: profile.path)
        #expect(try other.records().received(request, policy: SharingPolicy(), now: .now) == .deliver([1, 2, 3]))
        #expect(other.records().undelivered.map(\.answer) == [[1, 2, 3]])
        other.records().ended(try #require(other.records().undelivered.first), .delivered, now: .now)
        #expect(try profile.records().received(request, policy: SharingPolicy(), now: .now) == .replayed)
        #expect(profile.records().undelivered.isEmpty)
        // A request that a process works on is free again when the process releases it.
        let incoming = try self.sharer.receive(pushPayload: payload)
        #expect(throws: SharingError(.replayed, "")) { try self.sharer.receive(pushPayload: payload) }
        profile.records().leave(incoming.receipt.digest)
        _ = try self.sharer.receive(pushPayload: payload)
    }

    /// Goal: on disk and in progress, a request with another one's ID and different bytes is separate.
    @Test func theSameIDWithOtherBytesIsAnotherRequest() throws {
        let profile = self.sharer.profile
        let first = try self.request(self.grant())
        let second = try self.again(first.value)
        #expect(first.value.id == second.value.id)
        _ = try self.sharer.receive(pushPayload: self.payload(first))
        #expect(try self.sharer.receive(pushPayload: self.payload(second)).receipt.signed == second)
        let said = Answer.Content.unavailable("no sky")
        func answer(_ request: Signed<Request>, _ answer: [UInt8]) throws -> GivenAnswers.OnReceived {
            try profile.records().answered(request.value, answer, saying: said, policy: SharingPolicy(), now: .now)
        }
        #expect(try answer(first, [1]) == .answer)
        #expect(try answer(second, [2]) == .answer)
        let other = try SharingProfile(path: profile.path)
        #expect(other.records().undelivered.map(\.answer) == [[1], [2]])
        other.records().ended(try #require(other.records().undelivered.last), .delivered, now: .now)
        #expect(try profile.records().received(second.value, policy: SharingPolicy(), now: .now) == .replayed)
        #expect(try profile.records().received(first.value, policy: SharingPolicy(), now: .now) == .deliver([1]))
    }

    /// Goal: the count of uses survives the process, and a reused ID is another use.
    @Test func usesOfAGrantAreKeptOnDisk() throws {
        let limits = GrantLimits(usesMax: 3)
        let requester = self.requester.publicIdentity
        let grant = try self.sharer.approve(requester: requester, precision: .full, for: .seconds(60), limits: limits)
        let profile = self.sharer.profile
        func use(_ request: Request) throws -> GrantUses.OnUsed {
            try SharingProfile(path: profile.path).records().use(request, policy: SharingPolicy(), now: .now)
        }
        let first = try self.request(grant).value
        #expect(try [use(first), use(first)] == [.record, .answer])
        let again = try self.again(first).value
        #expect(try profile.usesLeft(of: grant.value) == 2)
        #expect(try use(again) == .record)
        #expect(try [use(self.request(grant).value), use(self.request(grant).value)] == [.record, .usedUp])
        #expect(try profile.usesLeft(of: grant.value) == 0)
        let unlimited = try self.sharer.approve(requester: requester, precision: .full, for: .seconds(60))
        #expect(try profile.usesLeft(of: unlimited.value) == nil)
        for damaged in [[3], Array(repeating: 0, count: 65)] as [[UInt8]] {
            try Data(damaged).write(to: URL(filePath: "\(profile.path)/used"))
            #expect(throws: SharingError(.badProfile, "")) { try profile.usesLeft(of: grant.value) }
        }
    }

    @Test func grantThatAllowsNothingIsAnError() {
        #expect(throws: SharingError(.badText, "")) {
            try self.sharer.approve(
                requester: self.requester.publicIdentity,
                precision: .full,
                for: .seconds(60),
                limits: GrantLimits(usesMax: 0)
            )
        }
        #expect(throws: SharingError(.badText, "")) {
            try self.sharer.approve(requester: self.requester.publicIdentity, precision: .full, for: .zero)
        }
    }

    @Test func askingAServerThatIsNotThereFails() async throws {
        let requester = try Requester(profile: self.directory.profile("requester"))
        var kinds: [RequestState.Kind] = []
        for await update in requester.ask(try self.grant(), deadline: .seconds(60)) { kinds.append(update.state.kind) }
        #expect(kinds == [.failed])
    }

    @Test func askingEndsAtTheDeadline() async throws {
        let requester = try Requester(profile: self.directory.profile("requester"))
        var kinds: [RequestState.Kind] = []
        for await update in requester.ask(try self.grant(), deadline: .milliseconds(1)) {
            kinds.append(update.state.kind)
        }
        #expect(kinds == [.expired])
    }
}

internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
package import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// The rules that every ``SharingServer/Store`` follows; the sharing server relies on each.
///
/// ```swift
/// @Test(arguments: RequestStoreRule.allCases) func myStoreKeeps(_ rule: RequestStoreRule) async throws {
///     try await rule.check(MyStore())  // a new, empty one
/// }
/// ```
package enum RequestStoreRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// The latest registration of a device is stored.
    case laterRegistrationWins
    /// The records for a decision contain the device, the use of the grant, the unfinished requests and the revocations.
    case whoDecidesSeesWhatIsKept
    /// Each device of a sharer is stored separately, with its key and name.
    case eachDeviceIsKeptForItself
    /// When another device becomes the answering device, all earlier requests are marked, including finished ones; later ones
    /// are not.
    case requestsGoAstray
    /// All live shares are marked in the same cases as requests; live shares of a removed device no longer count.
    case followingsGoAstray
    /// The newest removed devices of a sharer are remembered for their time.
    case removedDevicesAreRemembered
    /// A repeated request is recognised; another request with its ID is a replay.
    case theSameRequestIsKnownAndAnotherOfItsNameReplayed
    /// Each step of a request's life, and its answer, is read back as it was written.
    case everyStepIsKept
    /// A transaction that throws changes nothing.
    case aTransactionThatFailsLeavesNothing
    /// A transaction reads what it has changed, as it is after the commit.
    case aTransactionReadsItsOwnChanges
    /// Transactions on the rows of one sharer run one after another, whether they name the sharer or a request.
    case transactionsOnTheSameRowsRunInTurn
    /// A device is paused only if its token still is the token that failed.
    case pausingSparesANewerToken
    /// A registration is stored for its lifetime; registering again and answering renew it.
    case registrationsEnd
    /// The requests that wait for a device are counted.
    case pendingRequestsAreBounded
    /// Requests wait in the order of their arrival, and expire at their deadlines.
    case theOrderIsThatOfComing
    /// The revocations of a sharer are counted, and forgotten with their grants.
    case revocationsAreBounded
    /// Pruning deletes finished requests past their expiry, and no other requests.
    case pruningKeepsWhatIsUnfinished
    /// Pruning deletes a revocation once its grant has expired, and the last use once it no longer delays a request.
    case pruningForgetsGrantsThatEnded
    /// A live share is stored until some time after its end, and counts until its end.
    case followingsAreKeptWithTheirEnd
    /// A schedule is stored with its next occurrence and its end, is found by that time, and counts until its end.
    case schedulesAreKeptWithTheirEnd
    /// The occurrences of a schedule are listed in order, are stored for a week, and do not count as people's requests.
    case occurrencesAreKeptForTheirRequester
    /// A link is stored until it ends, or until its grant is revoked.
    case linksAreKeptUntilTheirEnd
    /// The uses of a link are counted with the transaction that counts them, and stay with the link.
    case usesOfLinksAreCounted
    /// The budget of a device is stored until it is full again.
    case theBudgetOfADeviceIsKept

    /// The name of the rule.
    package var testDescription: String { self.rawValue }

    /// Checks the rule; a violation is an issue of the running test.
    ///
    /// - Parameter store: an empty store; the check leaves data in it.
    /// - Throws: an error of the store that breaks the rule.
    package func check(_ store: any Store) async throws {
        switch self {
        case .laterRegistrationWins: try await Self.laterRegistrationWins(store)
        case .eachDeviceIsKeptForItself: try await Self.eachDeviceIsKeptForItself(store)
        case .requestsGoAstray: try await Self.requestsGoAstray(store)
        case .followingsGoAstray: try await Self.followingsGoAstray(store)
        case .removedDevicesAreRemembered: try await Self.removedDevicesAreRemembered(store)
        case .whoDecidesSeesWhatIsKept: try await Self.whoDecidesSeesWhatIsKept(store)
        case .theSameRequestIsKnownAndAnotherOfItsNameReplayed:
            try await Self.theSameRequestIsKnownAndAnotherOfItsNameReplayed(store)
        case .everyStepIsKept: try await Self.everyStepIsKept(store)
        case .aTransactionThatFailsLeavesNothing: try await Self.aTransactionThatFailsLeavesNothing(store)
        case .aTransactionReadsItsOwnChanges: try await Self.aTransactionReadsItsOwnChanges(store)
        case .transactionsOnTheSameRowsRunInTurn: try await Self.transactionsOnTheSameRowsRunInTurn(store)
        case .pausingSparesANewerToken: try await Self.pausingSparesANewerToken(store)
        case .registrationsEnd: try await Self.registrationsEnd(store)
        case .pendingRequestsAreBounded: try await Self.pendingRequestsAreBounded(store)
        case .theOrderIsThatOfComing: try await Self.theOrderIsThatOfComing(store)
        case .revocationsAreBounded: try await Self.revocationsAreBounded(store)
        case .pruningKeepsWhatIsUnfinished: try await Self.pruningKeepsWhatIsUnfinished(store)
        case .pruningForgetsGrantsThatEnded: try await Self.pruningForgetsGrantsThatEnded(store)
        case .followingsAreKeptWithTheirEnd: try await Self.followingsAreKeptWithTheirEnd(store)
        case .schedulesAreKeptWithTheirEnd: try await Self.schedulesAreKeptWithTheirEnd(store)
        case .occurrencesAreKeptForTheirRequester: try await Self.occurrencesAreKeptForTheirRequester(store)
        case .linksAreKeptUntilTheirEnd: try await Self.linksAreKeptUntilTheirEnd(store)
        case .usesOfLinksAreCounted: try await Self.usesOfLinksAreCounted(store)
        case .theBudgetOfADeviceIsKept: try await Self.theBudgetOfADeviceIsKept(store)
        }
    }
}

/// Why a transaction fails on purpose.
private struct Failure: Error {}

extension RequestStoreRule {
    private static func laterRegistrationWins(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register(token: [1], issued: 10)
        try await bench.register(token: [2], issued: 5)
        try await bench.register(token: [2], issued: 10)
        #expect(try await bench.token() == [1])
        try await bench.register(token: [3], issued: 11)
        #expect(try await bench.token() == [3])
        try await bench.register(token: [], issued: 12)
        #expect(try await bench.token() == [])
        let other = bench.requester.publicIdentity
        #expect(try await bench.store.read { try $0.registration(of: other) } == nil)
    }

    private static func whoDecidesSeesWhatIsKept(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let request = try bench.request(2)
        var pushesPaidUntil: WallTime?
        func expect(
            _ device: PriorRecords.Device,
            paidUntil: WallTime? = nil,
            wake: Wake? = nil,
            _ load: RequestLoad = RequestLoad(kept: 0, pending: 0, pendingUnderGrant: 0, otherGrantsInUse: 0),
            revoked: Bool = false,
            at seconds: Int = 0
        )
            async throws
        {
            let due = PriorRecords(
                isReplayed: false,
                isRevoked: revoked,
                device: device,
                paidUntil: paidUntil,
                pushesPaidUntil: pushesPaidUntil,
                wake: wake,
                load: load
            )
            #expect(try await bench.precedents(of: request, at: seconds) == due)
        }
        try await expect(.unknown)
        try await bench.register(token: [], issued: 0)
        try await expect(.paused)
        try await bench.register(token: [1], issued: 1)
        try await expect(.registered)
        #expect(try await bench.record(request) == nil)
        let other = try bench.request(3)
        try await bench.admit(other, at: 7)
        let paidUntil = bench.after(7).advanced(by: SharingPolicy().requestPace.interval)
        let pushInterval = SharingPolicy().pushPace.interval
        pushesPaidUntil = bench.after(7).advanced(by: pushInterval)
        try await expect(
            .registered,
            paidUntil: paidUntil,
            wake: Wake(end: bench.after(7).advanced(by: SharingPolicy().allowance), isTaken: false),
            RequestLoad(kept: 1, pending: 1, pendingUnderGrant: 1, otherGrantsInUse: 0),
            at: 7
        )
        try await bench.answer(other)
        let answered = RequestLoad(kept: 1, pending: 0, pendingUnderGrant: 0, otherGrantsInUse: 0)
        try await expect(.registered, paidUntil: paidUntil, answered, at: 8)
        #expect(try await bench.revoke(Revocation(of: request.value.grant.value)) == .confirm)
        try await expect(.registered, paidUntil: paidUntil, answered, revoked: true)
        // Another grant has its own use count, and its requests do not count against this grant.
        let elsewhere = try bench.request(4, grant: bench.grant(2))
        let before = try await bench.precedents(of: elsewhere)
        #expect(before.paidUntil == nil && !before.isRevoked)
        #expect(before.load == RequestLoad(kept: 1, pending: 0, pendingUnderGrant: 0, otherGrantsInUse: 1))
        try await bench.admit(elsewhere, at: 8)
        // All grants of the sharer share one push budget.
        pushesPaidUntil = bench.after(7).advanced(by: pushInterval * 2)
        try await expect(
            .registered,
            paidUntil: paidUntil,
            wake: Wake(end: bench.after(8).advanced(by: SharingPolicy().allowance), isTaken: false),
            RequestLoad(kept: 2, pending: 1, pendingUnderGrant: 0, otherGrantsInUse: 1),
            revoked: true,
            at: 8
        )
    }

    private static func theSameRequestIsKnownAndAnotherOfItsNameReplayed(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        let request = try bench.request(2)
        #expect(try await bench.admit(request) == .accept)
        #expect(try await bench.admit(request) == .acceptAgain)
        #expect(try await bench.precedents(of: bench.request(2, expires: 60)).isReplayed)
        #expect(try await bench.admit(bench.request(2, expires: 60)) == .conflict)
        #expect(try await bench.record(request)?.request == request)
    }

    private static func everyStepIsKept(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        let (request, now) = (try bench.request(2), bench.now)
        #expect(try await bench.admit(request) == .accept)
        let record = try #require(try await bench.record(request))
        #expect(record.request == request && record.answer == nil)
        // A request that arrives meanwhile waits for the same push.
        let behind = try bench.request(3)
        #expect(try await bench.admit(behind) == .accept)
        let waiting = try #require(try await bench.record(behind)).life
        #expect(waiting.isWaiting && waiting.deadline == bench.after(30))
        try await bench.answer(behind)
        let steps: [@Sendable (inout RequestLife) -> [RequestLife.Effect]] = [
            { $0.pushRejected(PushRejection(nil), now: now) }, { $0.pushAccepted(now: now) },
            { $0.deviceReported(.woken, now: now) }, { $0.deviceReported(.locating, now: now) },
            { $0.deviceReported(.asking, now: now) },
            { $0.answerReceived([4, 2], now: now) },
        ]
        for step in steps {
            #expect(try await bench.pending() == [request])
            let life = try await bench.change(request, step)
            #expect(try await bench.record(request)?.life == life)
            #expect(try await bench.nextDeadline() == life.deadline)
        }
        #expect(try await bench.record(request)?.answer == [4, 2])
        #expect(try await bench.pending().isEmpty)
        // A second answer is too late.
        try await bench.answer(request, [6, 6])
        #expect(try await bench.record(request)?.answer == [4, 2])
        #expect(try await bench.record(bench.request(9)) == nil)
    }

    private static func aTransactionThatFailsLeavesNothing(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        let request = try bench.request(2)
        try await bench.admit(request)
        let (id, sharer) = (request.value.id, bench.sharer.publicIdentity)
        await #expect(throws: Failure.self) {
            try await bench.store.transaction { store in
                try store.put(answer: [1], to: id)
                try store.pause(DeviceToken(bytes: [1]) ?? { throw Failure() }(), of: sharer)
                throw Failure()
            }
        }
        #expect(try await bench.record(request)?.answer == nil)
        #expect(try await bench.token() == [1])
    }

    private static func pausingSparesANewerToken(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register(token: [1], issued: 0)
        try await bench.register(token: [2], issued: 1)
        let sharer = bench.sharer.publicIdentity
        for (pushed, left) in [([1], [2]), ([2], [])] as [([UInt8], [UInt8])] {
            let token = try #require(DeviceToken(bytes: pushed))
            try await store.transaction { try $0.pause(token, of: sharer) }
            #expect(try await bench.token() == left)
        }
    }

    private static func followingsAreKeptWithTheirEnd(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (request, now) = (try bench.followRequest(2), bench.now)
        let (id, sharer) = (request.value.id, bench.sharer.publicIdentity)
        #expect(try await store.read { try $0.following(id) } == nil)
        let going = FollowingRecord(request: request, end: nil, keptUntil: bench.after(4000))
        try await store.transaction { try $0.put(going) }
        #expect(try await store.read { try $0.following(id) } == going)
        #expect(try await store.read { try $0.followingCount(of: sharer, now: now) } == 1)
        let later = bench.after(3600)
        #expect(try await store.read { try $0.followingCount(of: sharer, now: later) } == 0)
        let other = bench.requester.publicIdentity
        #expect(try await store.read { try $0.followingCount(of: other, now: now) } == 0)
        let end = FollowingRecord.End(reason: .byFollower, statement: [1, 2])
        let ended = FollowingRecord(request: request, end: end, keptUntil: bench.after(100))
        try await store.transaction { try $0.put(ended) }
        #expect(try await store.read { try $0.following(id) } == ended)
        #expect(try await store.read { try $0.followingCount(of: sharer, now: now) } == 0)
        try await bench.prune(at: 99)
        #expect(try await store.read { try $0.following(id) } == ended)
        try await bench.prune(at: 100)
        #expect(try await store.read { try $0.following(id) } == nil)
    }

    private static func registrationsEnd(_ store: any Store) async throws {
        let lifetime = SharingPolicy().registrationLifetime
        let seconds = Int(lifetime.components.seconds)
        let bench = try RequestStoreBench(store)
        try await bench.register(token: [1], issued: 0)
        try await bench.prune(at: seconds - 1)
        #expect(try await bench.token() == [1])
        try await bench.register(token: [2], issued: 10)
        try await bench.prune(at: seconds)
        #expect(try await bench.token() == [2])
        let (sharer, end) = (bench.sharer.publicIdentity, bench.after(20).advanced(by: lifetime))
        try await store.transaction { store in
            for registration in try store.registrations(of: sharer) {
                try store.put(registration, at: end, until: end)
            }
        }
        try await bench.prune(at: seconds + 19)
        #expect(try await bench.token() == [2])
        try await bench.prune(at: seconds + 20)
        #expect(try await bench.token() == nil)
    }

    private static func eachDeviceIsKeptForItself(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let sharer = bench.sharer.publicIdentity
        func all() async throws -> [Registration] { try await store.read { try $0.registrations(of: sharer) } }
        let first = try await bench.register(token: [1], issued: 1)
        let second = try await bench.register(token: [2], issued: 2, device: bench.device(2, chosen: 2))
        let third = try await bench.register(token: [3], issued: 3, device: bench.device(1, chosen: 1))
        // The devices come in the order of their identifiers.
        #expect(try await all() == [first, third, second])
        #expect(try await bench.token() == [2])
        let other = bench.requester.publicIdentity
        #expect(try await store.read { try $0.registrations(of: other) }.isEmpty)
        let again = try await bench.register(token: [4], issued: 4, device: bench.device(1, chosen: 4))
        #expect(try await all() == [first, again, second])
        #expect(try await bench.token() == [4])
        try await store.transaction { try $0.pause(DeviceToken(bytes: [4]) ?? { throw Failure() }(), of: sharer) }
        #expect(try await all() == [first, again.paused, second])
        try await store.transaction { try $0.drop(second) }
        #expect(try await all() == [first, again.paused])
        try await store.transaction { try $0.drop(first) }
        try await store.transaction { try $0.drop(second) }
        #expect(try await all() == [again.paused])
    }

    private static func removedDevicesAreRemembered(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (sharer, other) = (bench.sharer.publicIdentity, bench.requester.publicIdentity)
        func end(_ number: UInt64, of person: PublicIdentity? = nil) async throws -> WallTime? {
            try await store.read { try $0.removalEnd(of: DeviceID(high: 0, low: number), of: person ?? sharer) }
        }
        let max = SharingPolicy.removedDevicesPerSharerMax
        for number in 0...max {
            let removal = DeviceRemoval(device: DeviceID(high: 0, low: UInt64(number)), sharer: sharer)
            let time = bench.after(10 + number)
            try await store.transaction { try $0.put(removal, until: time) }
        }
        // The device that was removed first is no longer remembered.
        #expect(try await end(0) == nil)
        #expect(try await end(1) == bench.after(11))
        #expect(try await end(UInt64(max)) == bench.after(10 + max))
        #expect(try await end(1, of: other) == nil)
        let (again, later) = (DeviceRemoval(device: DeviceID(high: 0, low: 1), sharer: sharer), bench.after(100))
        try await store.transaction { try $0.put(again, until: later) }
        #expect(try await end(1) == later)
        try await bench.prune(at: 99)
        #expect(try await end(1) == later)
        #expect(try await end(2) == nil)
        try await bench.prune(at: 100)
        #expect(try await end(1) == nil)
    }

    private static func pendingRequestsAreBounded(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store, policy: SharingPolicy(pendingPerSharerMax: 2))
        try await bench.register()
        for byte in UInt8(1)...2 {
            #expect(try await bench.admit(bench.request(byte)) == .accept)
        }
        let third = try await bench.admit(bench.request(3))
        if case .tooSoon = third { return }
        Issue.record("a third request is \(third)")
    }

    private static func theOrderIsThatOfComing(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        // IDs in descending order, so that an order by ID would be noticed; requests of second 1 expire a second later.
        let came: [(byte: UInt8, at: Int)] = [(9, 1), (8, 0), (7, 0), (6, 1), (5, 0)]
        for (byte, at) in came { try await bench.insert(bench.request(byte), at: at) }
        #expect(try await bench.pending() == came.map { try bench.request($0.byte) })
        let due = try await bench.due(at: 60)
        #expect(due.map { $0.bytes[0] } == [8, 7, 5, 9, 6])
        #expect(try await bench.due(at: 60, max: 4) == Array(due.prefix(4)))
        #expect(try await bench.due(at: 5) == Array(due.prefix(3)))
        #expect(try await bench.due(at: 4).isEmpty)
        #expect(try await bench.nextDeadline() == bench.after(5))
        // The order stays when one request is finished and another changes.
        let now = bench.now
        try await bench.answer(bench.request(7))
        try await bench.change(bench.request(8)) { $0.pushAccepted(now: now) }
        #expect(try await bench.pending().map { $0.value.id.bytes[0] } == [9, 8, 6, 5])
        #expect(try await bench.due(at: 60).map { $0.bytes[0] } == [5, 9, 6, 8])
    }

    private static func revocationsAreBounded(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store, policy: SharingPolicy(revocationsPerSharerMax: 3))
        for number in 1...3 { #expect(try await bench.revoke(bench.revocation(number)) == .confirm) }
        let last = try bench.revocation(4)
        #expect(try await bench.revoke(last) == .refuse)
        // A stored revocation is confirmed, as often as the device asks.
        #expect(try await bench.revoke(bench.revocation(3)) == .confirm)
        // Only the revocations of this sharer count.
        let elsewhere = Revocation(
            grant: last.grant,
            sharer: bench.requester.publicIdentity,
            notAfter: bench.after(60)
        )
        #expect(try await bench.revoke(elsewhere) == .confirm)
        try await bench.prune(at: 59)
        #expect(try await bench.revoke(last) == .refuse)
        try await bench.prune(at: 60)
        #expect(try await bench.revoke(last) == .confirm)
    }

    private static func pruningKeepsWhatIsUnfinished(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        let (open, closed) = (try bench.request(2), try bench.request(3))
        try await bench.admit(open)
        try await bench.admit(closed)
        try await bench.answer(closed)
        try await bench.prune(at: 119)
        #expect(try await bench.record(closed) != nil)
        try await bench.prune(at: 120)
        #expect(try await bench.record(closed) == nil)
        #expect(try await bench.record(open) != nil)
        #expect(try await bench.due(at: 120) == [open.value.id])
    }

    private static func pruningForgetsGrantsThatEnded(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        let request = try bench.request(2)
        try await bench.admit(request)
        #expect(try await bench.revoke(Revocation(of: request.value.grant.value)) == .confirm)
        let pace = Int(SharingPolicy().requestPace.interval.components.seconds)
        try await bench.prune(at: pace - 1)
        #expect(try await bench.precedents(of: bench.request(3)).paidUntil == bench.after(pace))
        try await bench.prune(at: pace)
        #expect(try await bench.precedents(of: bench.request(3)).paidUntil == nil)
        try await bench.prune(at: 3599)
        #expect(try await bench.precedents(of: bench.request(3)).isRevoked)
        try await bench.prune(at: 3600)
        #expect(try await !bench.precedents(of: bench.request(3)).isRevoked)
    }
}

internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the number of times that the server waits for a store over a network before the commit (ADR 0125).
struct RoundTripTests {
    private struct Bench {
        private let server = Server(policy: SharingPolicy())
        private var store = ModelRequestStore()

        /// Commits a change, and returns its round trips.
        mutating func trips(_ change: SharingCore.Change, at time: WallTime = noon) throws -> Int {
            let server = self.server
            let (trips, changed) = try self.store.transaction { store in
                _ = try server.write(change, store, now: time)
                return try #require(store as? PrefetchedTransaction).roundTrips
            }
            self.store = changed ?? self.store
            return trips
        }

        mutating func trips(_ statement: SharingCore.Statement, at time: WallTime = noon) throws -> Int {
            try self.trips(.state(statement, 0), at: time)
        }

        /// Returns the round trips of a read.
        func trips(_ query: SharingCore.Query, at time: WallTime = noon) throws -> Int {
            try self.store.read { store in
                _ = try self.server.read(query, store, now: time)
                return try #require(store as? PrefetchedTransaction).roundTrips
            }
        }

        /// Registers a device, which three requests ask.
        mutating func begin() throws {
            _ = try self.trips(.register(makeRegistration()))
            for id in [2, 3, 4] as [UInt8] { _ = try self.trips(.request(makeRequest(id))) }
        }
    }

    private func pushed(_ id: UInt8, _ rejection: PushRejection? = nil) throws -> SharingCore.Change {
        .pushEnded(try makeRequest(id).value.id, of: try identity(3), DeviceToken(bytes: [1]), rejection)
    }

    /// Goal: each operation on the path of a request reads once.
    @Test func aRequestReadsOnceForEachStep() throws {
        var bench = Bench()
        #expect(try bench.trips(.register(makeRegistration())) == 1)
        let (request, other) = (try makeRequest(2), try makeRequest(3))
        #expect(try bench.trips(.request(request)) == 1)
        #expect(try bench.trips(.request(request)) == 1)
        #expect(try bench.trips(.request(other)) == 1)
        #expect(try bench.trips(self.pushed(2)) == 1)
        let (id, sharer) = (request.value.id, try identity(3))
        let report = DeviceReport(request: id, sharer: sharer, progress: .woken)
        #expect(try bench.trips(.report(verified(report))) == 1)
        let answer = SealedAnswer(request: id, sharer: sharer, sealed: [])
        #expect(try bench.trips(.answer(verified(answer), bytes: [7])) == 1)
        let revocation = Revocation(of: request.value.grant.value)
        #expect(try bench.trips(.revoke(verified(revocation))) == 1)
        #expect(try bench.trips(.request(makeRequest(4))) == 1)
    }

    @Test func rareChangesReadUpToThreeTimes() throws {
        var bench = Bench()
        try bench.begin()
        let sharer = try identity(3)
        let link = LinkedGrant(
            address: LinkAddress(high: 0, low: 1),
            sharer: sharer,
            grant: GrantID(high: 1, low: 1),
            notAfter: after(3600),
            sealed: Array(repeating: 1, count: LinkedGrant.sealedByteCount)
        )
        #expect(try bench.trips(.post(verified(link))) == 1)
        let id = try makeRequest(3).value.id
        let end = FollowingEnd(request: id, author: try identity(4), time: noon, reason: .byFollower)
        #expect(try bench.trips(.end(verified(end), bytes: [7])) == 2)
        #expect(try bench.trips(.register(makeRegistration(1, token: [2], chosen: after(1), issued: after(1)))) == 3)
        #expect(try bench.trips(self.pushed(2, .unregistered)) == 2)
        let removal = DeviceRemoval(device: DeviceID(high: 0, low: 1), sharer: sharer)
        #expect(try bench.trips(.remove(verified(removal))) == 2)
    }

    /// Goal: the cost does not depend on the number of requests whose deadline has passed.
    @Test(arguments: [after(5), after(300)]) func deadlinesAreHandledTogether(_ time: WallTime) throws {
        var bench = Bench()
        try bench.begin()
        #expect(try bench.trips(.look, at: time) == 4)
    }

    @Test func lookingAtNothingReadsAndPrunes() throws {
        var bench = Bench()
        #expect(try bench.trips(.look) == 3)
    }

    @Test func aReadTakesOneOrTwoRoundTrips() throws {
        var bench = Bench()
        try bench.begin()
        let permit = ReadPermit(request: try makeRequest(2).value.id, requester: try identity(4))
        let (address, sharer) = (AddressBlock([192, 0, 2, 1]), try identity(3))
        #expect(try bench.trips(.isKnown(sharer, .register(makeRegistration()), address, 1)) == 1)
        #expect(try bench.trips(.answer(.devices(verified(DevicesPermit(sharer: sharer))), address, 1)) == 1)
        #expect(try bench.trips(.answer(.link(LinkAddress(high: 0, low: 1)), address, 1)) == 1)
        #expect(try bench.trips(.look(1, .states, permit)) == 1)
        #expect(try bench.trips(.push(permit.request)) == 2)
        #expect(try bench.trips(.answer(.stream(.states, verified(permit)), address, 1)) == 2)
    }
}

/// A store in which another transaction holds the only row whose time has come.
private struct BusyElsewhere: RemoteRequestStore {
    func exchange(_ changes: [Change], _ reads: [StoreRead]) throws -> [StoreRead.Result] {
        try reads.map { read in
            switch read {
            case .due, .schedulesDue: .ids([])
            case .nextDeadline: .time(noon)
            default: throw FixtureError()
            }
        }
    }

    func prune(now: WallTime, max: Int) -> Bool { false }
}

extension RoundTripTests {
    /// Goal: the server does not read the store repeatedly while another transaction holds a row's lock.
    @Test func rowsThatAnotherTransactionWorksOnAreReadLater() throws {
        let server = Server(policy: SharingPolicy())
        let effects = try server.look(PrefetchedTransaction(BusyElsewhere()), now: after(5)).effects
        #expect(effects == [.look(by: after(5).advanced(by: Server.elsewherePause))])
    }
}

internal import SystemSimulator
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the server's decisions about live shares, with a store in memory.
struct ServerFollowingTests {
    private struct Bench {
        let server = Server(policy: SharingPolicy(pendingPerGrantMax: 100, requestsPerSharerMax: 1000))
        var store = ModelRequestStore()

        init() throws {
            let (server, registration) = (self.server, try makeRegistration())
            try self.transact { try server.deviceRegistered(registration, $0, now: noon) }
        }

        @discardableResult
        mutating func transact<Value>(_ body: (any RequestStoreTransaction) throws -> Value) throws -> Value {
            let (value, changed) = try self.store.transaction(body)
            if let changed { self.store = changed }
            return value
        }

        static func request(_ id: UInt8, minutes: UInt16? = 60) throws -> Verified<Request> {
            try makeRequest(id, until: after(86_400), followMinutesMax: 60, followMinutes: minutes)
        }

        mutating func ask(_ id: UInt8 = 2, minutes: UInt16? = 60) throws {
            let (server, request) = (self.server, try Self.request(id, minutes: minutes))
            let reply = try self.transact { try server.requestReceived(request, $0, now: noon).reply }
            #expect(reply == .accept)
        }

        mutating func update(_ id: UInt8 = 2, by sharer: UInt8 = 3, at time: WallTime = noon) throws -> Server.OnUpdate
        {
            let value = SealedUpdate(request: try Self.request(id).value.id, sharer: try identity(sharer), sealed: [])
            let (server, update) = (self.server, Verified(Signed(value: value, signature: [])))
            let decided = try server.updateReceived(update, self.store.view, now: time)
            guard decided == .begin else { return decided }
            return try self.transact { try server.followingBegan(update, $0, now: time) }
        }

        mutating func end(
            _ id: UInt8 = 2,
            by author: UInt8,
            _ reason: FollowingEnd.Reason,
            at time: WallTime = noon
        ) throws -> Server.OnFollowingEnded {
            let value = FollowingEnd(
                request: try Self.request(id).value.id,
                author: try identity(author),
                time: time,
                reason: reason
            )
            let (server, end) = (self.server, Verified(Signed(value: value, signature: [])))
            return try self.transact { try server.followingEnded(end, bytes: [author], $0, now: time).reply }
        }

        mutating func revoke() throws {
            let revocation = Revocation(of: try Self.request(2).value.grant.value)
            let server = self.server
            try self.transact {
                try server.grantRevoked(Verified(Signed(value: revocation, signature: [])), $0, now: noon)
            }
        }

        /// A device of the sharer is chosen.
        mutating func choose(_ number: UInt8, at seconds: Int) throws {
            let (server, time) = (self.server, after(seconds))
            let registration = try makeRegistration(number, token: [number], chosen: time, issued: time)
            let reply = try self.transact { try server.deviceRegistered(registration, $0, now: time).reply }
            #expect(reply == .confirm)
        }

        mutating func remove(_ number: UInt8, at seconds: Int) throws {
            let value = DeviceRemoval(device: DeviceID(high: 0, low: UInt64(number)), sharer: try identity(3))
            let (server, removal) = (self.server, Verified(Signed(value: value, signature: [])))
            let reply = try self.transact { try server.deviceRemoved(removal, $0, now: after(seconds)).reply }
            #expect(reply == .confirm)
        }

        mutating func answer(_ id: UInt8 = 2, at seconds: Int) throws -> Server.OnAnswer {
            let value = SealedAnswer(request: try Self.request(id).value.id, sharer: try identity(3), sealed: [])
            let (server, answer) = (self.server, Verified(Signed(value: value, signature: [])))
            return try self.transact {
                try server.answerReceived(answer, bytes: [7], $0, now: after(seconds)).reply
            }
        }

        func standing(_ id: UInt8 = 2, for follower: UInt8 = 4, at time: WallTime = noon) throws -> LiveShareState {
            let request = try Self.request(id).value.id
            return try self.server.standing(
                of: request,
                for: identity(follower),
                as: .follower,
                self.store.view,
                now: time
            )
        }
    }

    @Test func anUpdateIsShownToItsFollowerAlone() throws {
        var bench = try Bench()
        #expect(try bench.update() == .unknown)
        try bench.ask()
        #expect(try bench.standing() == .goesOn)
        #expect(try bench.update() == .show(Bench.request(2).signed))
        #expect(try bench.update() == .show(Bench.request(2).signed))
        // Neither the follower nor a stranger can send updates, and only the follower can read them.
        #expect(try bench.update(by: 4) == .unknown)
        #expect(try bench.update(by: 9) == .unknown)
        #expect(try bench.standing(for: 3) == .unknown)
        #expect(try bench.standing(for: 9) == .unknown)
        // The request may be deleted by then: the live share has its own row.
        let server = bench.server
        try bench.transact { _ = try server.look($0, now: after(300)) }
        #expect(try bench.update(at: after(600)) == .show(Bench.request(2).signed))
    }

    @Test func aRequestForASingleAnswerIsNoFollowing() throws {
        var bench = try Bench()
        try bench.ask(minutes: nil)
        #expect(try bench.update() == .unknown)
        #expect(try bench.standing() == .unknown)
        #expect(try bench.end(by: 3, .bySharer) == .unknown)
        // This withdraws the request, and nothing else.
        #expect(try bench.end(by: 4, .byFollower) == .confirm)
        #expect(try bench.standing() == .unknown)
    }

    @Test func theFirstSignedEndHolds() throws {
        var bench = try Bench()
        try bench.ask()
        #expect(try bench.update() == .show(Bench.request(2).signed))
        #expect(try bench.end(by: 4, .bySharer) == .unknown)
        #expect(try bench.end(by: 9, .byFollower) == .unknown)
        #expect(try bench.end(by: 4, .byFollower) == .confirm)
        #expect(try bench.end(by: 3, .bySharer) == .confirm)
        let ended = LiveShareState.ended(.byFollower, statement: [4])
        #expect(try bench.standing() == ended)
        #expect(try bench.update() == .close(.byFollower, statement: [4]))
        // This also holds for a live share that has not begun.
        try bench.ask(7)
        #expect(try bench.end(7, by: 4, .byFollower) == .confirm)
        #expect(try bench.update(7) == .close(.byFollower, statement: [4]))
    }

    /// Goal: a device whose answer came too late does not send updates for an hour without a follower.
    @Test func whatEndedWithoutAnAnswerIsNotFollowed() throws {
        var bench = try Bench()
        try bench.ask()
        let server = bench.server
        try bench.transact { _ = try server.look($0, now: after(121)) }
        let late = try bench.answer(at: 122)
        #expect(late == .deliver(.expired, pending: [], isNew: false))
        #expect(try bench.update(at: after(123)) == .close(.lost, statement: nil))
    }

    @Test func timeAndRevocationEndItWithoutAWrite() throws {
        var bench = try Bench()
        try bench.ask()
        #expect(try bench.update() == .show(Bench.request(2).signed))
        #expect(try bench.standing(at: after(3599)) == .goesOn)
        #expect(try bench.standing(at: after(3600)) == .ended(.time, statement: nil))
        try bench.revoke()
        #expect(try bench.standing() == .ended(.revoked, statement: nil))
        #expect(try bench.update() == .close(.revoked, statement: nil))
    }

    /// Goal: a lost phone reveals its position to nobody from its removal on, although it does not know of the removal.
    @Test func aRemovalEndsTheFollowingsOfTheDevice() throws {
        var bench = try Bench()
        try bench.choose(1, at: 1)
        try bench.ask()
        #expect(try bench.update(at: after(2)) == .show(Bench.request(2).signed))
        try bench.choose(2, at: 3)
        #expect(try bench.update(at: after(4)) == .show(Bench.request(2).signed))
        try bench.ask(7)
        #expect(try bench.update(7, at: after(5)) == .show(Bench.request(7).signed))
        try bench.remove(1, at: 6)
        let over = LiveShareState.ended(.bySharer, statement: nil)
        #expect(try bench.standing(at: after(6)) == over)
        #expect(try bench.update(at: after(6)) == .close(.bySharer, statement: nil))
        // The answering device's live share continues; choosing another device revives none.
        #expect(try bench.update(7, at: after(7)) == .show(Bench.request(7).signed))
        try bench.choose(3, at: 8)
        #expect(try bench.standing(at: after(9)) == over)
        #expect(try bench.update(7, at: after(9)) == .show(Bench.request(7).signed))
        // Its place is free, and its follower can still end it.
        #expect(try bench.store.view.followingCount(of: identity(3), now: after(9)) == 1)
        #expect(try bench.end(by: 4, .byFollower, at: after(10)) == .confirm)
        #expect(try bench.standing(at: after(11)) == .ended(.byFollower, statement: [4]))
    }

    /// Goal: a live share does not begin if its first update comes after the removal.
    @Test func aRemovedDeviceBeginsNoFollowing() throws {
        var bench = try Bench()
        try bench.choose(1, at: 1)
        try bench.ask()
        _ = try bench.answer(at: 2)
        try bench.remove(1, at: 3)
        #expect(try bench.update(at: after(4)) == .close(.bySharer, statement: nil))
        #expect(try bench.standing(at: after(4)) == .ended(.bySharer, statement: nil))
        #expect(try bench.store.view.following(Bench.request(2).value.id) == nil)
    }

    @Test func asManyFollowAsMay() throws {
        var bench = try Bench()
        // Bypassing the server's rule: a device accepts fewer pushes in a row than it may have followers.
        for id in 10..<10 + UInt8(Following.followersMax) {
            let request = try Bench.request(id).signed
            try bench.transact { try $0.put(FollowingRecord(request: request, end: nil, keptUntil: after(4000))) }
            #expect(try bench.update(id) == .show(request))
        }
        try bench.ask(200)
        #expect(try bench.update(200) == .tooMany)
        // An ended live share makes room.
        #expect(try bench.end(10, by: 3, .bySharer) == .confirm)
        #expect(try bench.update(200) == .show(Bench.request(200).signed))
    }

    // MARK: The board and the feed

    @Test func theBoardHoldsTheNewestUpdateAndKnowsWhoLooks() throws {
        var board = UpdateBoard()
        let id = try makeRequest().value.id
        func came(_ update: UInt8, at seconds: Double) -> UpdateBoard.OnUpdate {
            board.updateCame([update], of: id, until: after(60), now: .at(seconds))
        }
        #expect(came(1, at: 0) == .show(isWatched: false))
        board.followerCame(to: id, until: after(60), now: noon)
        board.followerCame(to: id, until: after(60), now: noon)
        #expect(came(2, at: 1) == .show(isWatched: true))
        #expect(board.newest(of: id)?.update == [2])
        board.followerLeft(id)
        #expect(came(3, at: 2) == .show(isWatched: true))
        board.followerLeft(id)
        #expect(came(4, at: 3) == .show(isWatched: false))
        board.ended(id)
        #expect(board.newest(of: id) == nil)
    }

    @Test func updatesAreBounded() throws {
        var board = UpdateBoard()
        let id = try makeRequest().value.id
        for _ in 0..<UpdateBoard.burst {
            #expect(board.updateCame([1], of: id, until: after(60), now: .at(0)) == .show(isWatched: false))
        }
        let late = board.updateCame([2], of: id, until: after(60), now: .at(0))
        #expect(late == .tooSoon(after: UpdateBoard.interval))
        #expect(board.newest(of: id)?.update == [1])
        for number in 1..<UpdateBoard.followingsMax {
            let other = try #require(RequestID(bytes: Array(repeating: 0, count: 12) + withBytes(number)))
            board.followerCame(to: other, until: after(60), now: noon)
            _ = board.updateCame([3], of: other, until: after(60), now: .at(0))
        }
        board.followerCame(to: id, until: after(60), now: noon)
        let beyond = try #require(RequestID(bytes: Array(repeating: 255, count: 16)))
        #expect(board.updateCame([4], of: beyond, until: after(60), now: .at(0)) == .full)
        // Expired ones make room.
        #expect(board.updateCame([4], of: beyond, until: after(120), now: .at(61)) == .show(isWatched: false))
    }

    /// Goal: an attacker who fills the board with updates without followers does not block others.
    @Test func updatesThatNobodyLooksAtMakeRoom() throws {
        var board = UpdateBoard()
        let id = try makeRequest().value.id
        board.followerCame(to: id, until: after(60), now: noon)
        #expect(board.updateCame([1], of: id, until: after(60), now: .at(0)) == .show(isWatched: true))
        for number in 1...UpdateBoard.followingsMax {
            let other = try #require(RequestID(bytes: Array(repeating: 0, count: 12) + withBytes(number)))
            #expect(board.updateCame([3], of: other, until: after(60), now: .at(0)) == .show(isWatched: false))
        }
        #expect(board.newest(of: id)?.update == [1])
    }

    private func withBytes(_ number: Int) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
    }
}

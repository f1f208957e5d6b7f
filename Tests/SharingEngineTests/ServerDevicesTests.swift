internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for several devices of one person: which one is asked, and that no data of a removed one is left.
struct ServerDevicesTests {
    private struct Bench {
        let server = Server(policy: SharingPolicy())
        var store = ModelRequestStore()

        mutating func register(
            _ number: UInt8,
            token: [UInt8]? = nil,
            chosen: Int = 0,
            at seconds: Int = 0,
            topic: String = "a"
        ) throws -> Server.OnRegistered {
            let (server, time) = (self.server, after(seconds))
            let verified = try makeRegistration(
                number,
                token: token ?? [number],
                chosen: after(chosen),
                topic: topic,
                issued: time
            )
            let (action, changed) = try self.store.transaction {
                try server.deviceRegistered(verified, $0, now: after(seconds)).reply
            }
            if let changed { self.store = changed }
            return action
        }

        mutating func remove(_ number: UInt8, at seconds: Int = 0, by sharer: UInt8 = 3) throws -> Server.OnRemoved {
            let value = DeviceRemoval(device: DeviceID(high: 0, low: UInt64(number)), sharer: try identity(sharer))
            let (verified, server) = (Verified(Signed(value: value, signature: [])), self.server)
            let (action, changed) = try self.store.transaction {
                try server.deviceRemoved(verified, $0, now: after(seconds)).reply
            }
            if let changed { self.store = changed }
            return action
        }

        mutating func prune(at seconds: Int) throws {
            let (_, changed) = try self.store.transaction { try $0.prune(now: after(seconds), max: 100) }
            if let changed { self.store = changed }
        }

        /// The devices, each as the letter of its token, and the one that answers.
        func devices() throws -> (all: [[UInt8]], answering: [UInt8]?) {
            let permit = Verified(Signed(value: DevicesPermit(sharer: try identity(3)), signature: []))
            let (all, answering) = try self.server.devices(permit, self.store.view)
            return (all.map(\.token), answering?.token)
        }
    }

    private static let day = 86_400

    /// Goal: the push of a request goes only to the device that was chosen last, sealed to its key.
    @Test func theDeviceThatWasChosenLastAnswers() throws {
        var bench = Bench()
        let request = try makeRequest(2)
        func pushed(_ bench: Bench) throws -> RequestPush? {
            var store = bench.store
            let decided = try store.transaction { try bench.server.requestReceived(request, $0, now: after(10)) }
            #expect(decided.value.reply == .accept)
            store = decided.changed ?? store
            guard case .send(let push) = try bench.server.pushDue(request.value.id, store.view) else { return nil }
            return push
        }
        #expect(try bench.register(1, chosen: 1, at: 1) == .confirm)
        #expect(try bench.register(2, chosen: 2, at: 2) == .confirm)
        var push = try pushed(bench)
        #expect(push?.token.bytes == [2] && push?.key.first == 2)
        // A later registration chooses no device: apps send one every hour.
        #expect(try bench.register(1, chosen: 1, at: 3) == .confirm)
        #expect(try bench.devices() == ([[1], [2]], [2]))
        #expect(try bench.register(1, chosen: 4, at: 4) == .confirm)
        push = try pushed(bench)
        #expect(push?.token.bytes == [1] && push?.key.first == 1)
        // An earlier one that arrives late changes nothing.
        #expect(try bench.register(1, chosen: 1, at: 3) == .confirm)
        #expect(try bench.devices() == ([[1], [2]], [1]))
        // The answering device is paused, and no other one answers for it.
        #expect(try bench.register(1, token: [], chosen: 4, at: 5) == .confirm)
        #expect(try bench.devices() == ([[], [2]], []))
        #expect(try bench.server.requestIsRefusedAsPaused(request, bench.store))
    }

    /// Goal: a device whose file was lost stays one device: it receives its pushes at the same token.
    @Test func aPlaceIsOfOneDevice() throws {
        var bench = Bench()
        #expect(try bench.register(0, token: [7], at: 1) == .confirm)
        #expect(try bench.register(1, chosen: 2, at: 2) == .confirm)
        #expect(try bench.devices() == ([[7], [1]], [1]))
        #expect(try bench.register(2, token: [7], chosen: 4, at: 4) == .confirm)
        #expect(try bench.devices() == ([[1], [7]], [7]))
        // An earlier registration of the token becomes invalid, under any ID.
        #expect(try bench.register(0, token: [7], at: 3) == .confirm)
        #expect(try bench.devices() == ([[1], [7]], [7]))
        // Another app on the device has another token.
        #expect(try bench.register(3, token: [7], chosen: 1, at: 5, topic: "b") == .confirm)
        #expect(try bench.devices().all.count == 3)
    }

    @Test func aRemovedDeviceIsForgottenAndRegistersNoMore() throws {
        var bench = Bench()
        #expect(try bench.remove(1) == .unknown)
        #expect(try bench.register(1, chosen: 1, at: 1) == .confirm)
        #expect(try bench.register(2, chosen: 2, at: 2) == .confirm)
        #expect(try bench.remove(3) == .unknown && bench.remove(2, by: 4) == .unknown)
        #expect(try bench.devices() == ([[1], [2]], [2]))
        #expect(try bench.remove(2, at: 3) == .confirm)
        #expect(try bench.devices() == ([[1]], [1]))
        // The signed message is repeated, as after a lost reply.
        #expect(try bench.remove(2, at: 3) == .confirm)
        #expect(try bench.register(2, chosen: 9, at: 9) == .removed)
        #expect(try bench.devices() == ([[1]], [1]))
        // The last one, too.
        #expect(try bench.remove(1, at: 10) == .confirm)
        #expect(try bench.devices() == ([], nil))
        // The same device with another name, which its person set on it.
        #expect(try bench.register(4, token: [2], chosen: 11, at: 11) == .confirm)
        #expect(try bench.devices() == ([[2]], [2]))
    }

    /// Goal: a device that keeps registering stays removed, and a silent one is forgotten.
    @Test func aRemovalHoldsWhileTheDeviceTries() throws {
        var bench = Bench()
        for number in UInt8(1)...2 { _ = try bench.register(number) }
        for number in UInt8(1)...2 { #expect(try bench.remove(number) == .confirm) }
        for day in stride(from: 10, through: 100, by: 10) {
            #expect(try bench.register(1, at: day * Self.day) == .removed)
            try bench.prune(at: day * Self.day)
        }
        #expect(try bench.register(2, at: 100 * Self.day) == .confirm)
    }

    @Test func theDevicesOfAPersonAreBounded() throws {
        var bench = Bench()
        let max = UInt8(SharingPolicy.devicesPerSharerMax)
        for number in 1...max { #expect(try bench.register(number, at: 1) == .confirm) }
        #expect(try bench.register(max + 1, at: 2) == .refuse && bench.register(0, token: [99], at: 2) == .refuse)
        // Registered devices continue to work, even one that lost its file.
        #expect(try bench.register(1, at: 3) == .confirm)
        #expect(try bench.register(max + 1, token: [2], at: 3) == .confirm)
        #expect(try bench.devices().all.count == Int(max))
        #expect(try bench.remove(1, at: 4) == .confirm)
        #expect(try bench.register(max + 2, at: 5) == .confirm)
    }

    /// Goal: the rules hold for any order of signed messages.
    ///
    /// Method: random, repeated and late messages of ten devices at twelve tokens; after each one the list is checked.
    @Test(arguments: UInt64(1)...20) func noOrderOfStatementsBreaksTheRules(seed: UInt64) throws {
        var bench = Bench()
        var random = SeededGenerator(seed: seed)
        var chosen: [UInt8: Int] = [:]
        var removed: Set<UInt8> = []
        for step in 1...300 {
            let number = UInt8.random(in: 0...9, using: &random)
            let late = Int.random(in: 0...3, using: &random)
            if Int.random(in: 0..<20, using: &random) == 0 {
                if try bench.remove(number, at: step) == .confirm { removed.insert(number) }
            } else {
                if Int.random(in: 0..<4, using: &random) == 0 { chosen[number] = step }
                let place = UInt8.random(in: 0...12, using: &random)
                let action = try bench.register(
                    number,
                    token: place == 12 ? [] : [place],
                    chosen: chosen[number] ?? 0,
                    at: max(0, step - late)
                )
                #expect(action == .removed ? removed.contains(number) : !removed.contains(number))
            }
            let sharer = try identity(3)
            let all = try bench.store.view.registrations(of: sharer)
            #expect(all.count <= SharingPolicy.devicesPerSharerMax)
            let ids = all.map(\.device.id), places = all.map(\.token).filter { !$0.isEmpty }
            #expect(Set(ids).count == ids.count && Set(places).count == places.count)
            #expect(!ids.contains { id in removed.contains { DeviceID(high: 0, low: UInt64($0)) == id } })
            let answering = try bench.store.view.registration(of: sharer)
            let latest = all.map(\.device.chosen).max()
            #expect(answering?.device.chosen == latest)
        }
    }

    /// Goal: a device whose app is never opened expires, even if another device of the person answers every day.
    @Test func anAnswerRenewsTheDeviceThatAnswers() throws {
        var bench = Bench()
        _ = try bench.register(1, chosen: 1, at: 0)
        _ = try bench.register(2, chosen: 2, at: 0)
        let (server, request) = (bench.server, try makeRequest(2))
        let answer = SealedAnswer(request: request.value.id, sharer: try identity(3), sealed: [])
        let (_, changed) = try bench.store.transaction { store in
            _ = try server.requestReceived(request, store, now: after(10))
            _ = try server.answerReceived(
                Verified(Signed(value: answer, signature: [])),
                bytes: [7],
                store,
                now: after(20 * Self.day)
            )
        }
        bench.store = changed ?? bench.store
        try bench.prune(at: 31 * Self.day)
        #expect(try bench.devices() == ([[2]], [2]))
        try bench.prune(at: 50 * Self.day)
        #expect(try bench.devices() == ([], nil))
    }
}

extension Server {
    fileprivate func requestIsRefusedAsPaused(_ request: Verified<Request>, _ store: ModelRequestStore) throws -> Bool {
        guard let changed = try store.transaction({ try self.requestReceived(request, $0, now: after(10)) }).changed
        else {
            return false
        }
        return try changed.view.request(request.value.id)?.life.state == .unreachable
    }
}

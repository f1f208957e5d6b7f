internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

/// Tests for silent devices, failing pushes, and servers that stop.
struct UnhappyTests {
    @Test func silentDeviceIsUnreachable() async throws {
        let town = try Town()
        let kinds = try await town.withServer(policy: SharingPolicy(allowance: .milliseconds(200))) { port in
            let (_, requester, grant) = try await town.people(port: port)
            return await requester.updates(grant).map(\.state.kind)
        }
        #expect(kinds.last == .unreachable)
    }

    @Test func deviceThatWakesAndHangsFails() async throws {
        let town = try Town()
        let last = try await town.withServer(policy: SharingPolicy(allowance: .seconds(3))) { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            async let device: Void = town.report(.woken, town.received(by: sharer), by: sharer, port: port)
            let last = await requester.updates(grant).last
            try await device
            return last
        }
        #expect(last?.state.kind == .failed)
    }

    @Test func unregisteredDeviceIsPausedUntilItRegistersAgain() async throws {
        let town = try Town(push: PushModel(.reject(.unregistered)))
        try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            let first = await requester.updates(grant)
            #expect(first.last?.state.kind == .unreachable)
            #expect(first.last?.state.reason.contains("paused") == true)
            #expect(town.push.attempts == 1)
            #expect(await requester.updates(grant).last?.state.kind == .unreachable)
            #expect(town.push.attempts == 1)
            town.push.set(.accept)
            try await sharer.register(deviceToken: Town.token, topic: Town.topic)
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            #expect(await requester.updates(grant).last?.state.kind == .answered)
            try await device
        }
    }

    /// Goal: an operator's mistake has no effect after its correction: no device must register again.
    @Test func refusedTokenIsPushedToAgain() async throws {
        let town = try Town(push: PushModel(.reject(.tokenRefused(.badDeviceToken))))
        try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            for _ in 0..<2 {
                let last = await requester.updates(grant).last
                #expect(last?.state.kind == .unreachable && last?.state.reason.contains("paused") == false)
            }
            #expect(town.push.attempts == 2)
            #expect(town.log.text(above: .warning).ranges(of: "--apns-endpoint").count == 1)
            town.push.set(.accept)
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            #expect(await requester.updates(grant).last?.state.kind == .answered)
            try await device
        }
    }

    @Test func sharerPauses() async throws {
        let town = try Town()
        let kinds = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            try await sharer.pause(topic: Town.topic)
            return await requester.updates(grant).map(\.state.kind)
        }
        #expect(kinds == [.accepted, .unreachable])
        #expect(town.push.attempts == 0)
    }

    @Test func permanentRejectionFailsAndTemporaryIsTriedAgain() async throws {
        let town = try Town(push: PushModel(.reject(.permanent("BadTopic"))))
        try await town.withServer(policy: SharingPolicy(pushRetry: .milliseconds(20))) { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            let failed = await requester.updates(grant).last
            #expect(failed?.state.kind == .failed)
            #expect(failed?.state.reason.contains("BadTopic") == true)
            town.push.set(.reject(.temporary("TooManyRequests")))
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            var last: RequestUpdate?
            for await update in requester.ask(grant) {
                if update.state.kind == .accepted { town.push.set(.accept) }
                last = update
            }
            #expect(last?.state.kind == .answered)
            try await device
        }
    }

    /// Goal: an accepted request survives the server.
    ///
    /// Method: the first server cannot push and ends. The second one continues with the file, on the same port. The
    /// requester notices only the delay.
    @Test func restartContinues() async throws {
        let town = try Town(push: PushModel(.reject(.temporary("ServiceUnavailable"))))
        let policy = SharingPolicy(pushRetry: .milliseconds(100))
        let (states, asked) = AsyncStream.makeStream(of: RequestState.Kind.self)
        let (port, sharer, asking) = try await town.withServer(policy: policy) { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            let asking = Task {
                var last: RequestUpdate?
                for await update in requester.ask(grant, deadline: .seconds(30)) {
                    asked.yield(update.state.kind)
                    last = update
                }
                return last
            }
            for await state in states where state == .accepted { break }
            return (port, sharer, asking)
        }
        let second = PushModel()
        let last = try await town.withServer(port: port, policy: policy, push: second) { _ in
            try await sharer.respond(to: town.received(by: sharer, from: second)) { try Town.measure() }
            return await asking.value
        }
        #expect(last?.state.kind == .answered)
    }

    /// Goal: a request whose deadline passed while no server ran ends at once.
    ///
    /// Method: the test writes to the store directly.
    @Test func restartExpiresWhatIsLate() async throws {
        let town = try Town()
        let store = try SQLiteStore(path: town.path("server.sqlite"), policy: SharingPolicy())
        let profile = try town.profile("sharer", port: 1)
        let sharer = try Sharer(profile: profile)
        let requester = try town.profile("requester", port: 1).identity
        let long = WallTime.now.advanced(by: .seconds(-300)).wholeMilliseconds
        let grant = try profile.identity.sign(
            Grant(
                id: sharer.approve(requester: requester.publicIdentity, precision: .full, for: .seconds(60)).value.id,
                sharer: profile.identity.publicIdentity,
                requester: requester.publicIdentity,
                precision: .full,
                notBefore: long,
                notAfter: long.advanced(by: .seconds(3600)),
                intervalMin: 0
            )
        )
        let registration = try Town.registration(of: profile.identity.publicIdentity, issued: long)
        try await store.transaction { try $0.put(registration, at: .now, until: .now.advanced(by: .seconds(60))) }
        var generator = SystemRandomNumberGenerator()
        let request = try requester.sign(
            Request(
                id: RequestID(using: &generator),
                grant: grant,
                precision: .full,
                suite: .x25519,
                publicKey: HPKESealing().makeKey(suite: .x25519).publicKey,
                issued: long,
                expires: long.advanced(by: .seconds(590))
            )
        )
        let verified = try request.verified()
        let past = Server(policy: SharingPolicy())
        _ = try await store.transaction { try past.requestReceived(verified, $0, now: long).reply }
        #expect(try await store.read { try $0.nextDeadline() } == long.advanced(by: .seconds(5)))
        let kinds = try await town.withServer { _ in
            // The deadline loop runs at the start; the row is read until it did.
            while true {
                let record = try await store.read { try $0.request(request.value.id) }
                if let record, record.life.deadline == nil { return record.life.history.map(\.kind) }
                await Task.yield()
            }
        }
        #expect(kinds == [.accepted, .unreachable])
        #expect(town.push.attempts == 0)
    }
}

internal import FakeAPNS
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Tests with servers that refuse, shut down, disconnect or stop answering.
@Suite(.timeLimit(.minutes(2))) struct MisbehaviourTests {
    @Test func oneConnectionServesAll() async throws {
        try await Sender.run { client, server in
            for _ in 0..<3 {
                let accepted = try await client.send(Sender.push()).get()
                #expect(accepted.apnsID == "ID")
            }
            #expect(server.requests.count == 3)
            #expect(server.connections == 1)
        }
    }

    /// Goal: the client repeats a push that the server certainly did not process, on a new connection if necessary.
    @Test func aRefusedStreamIsSentAgain() async throws {
        try await Sender.run([.refuse, .refuse]) { client, server in
            _ = try await client.send(Sender.push()).get()
            #expect(server.requests.count == 3 && server.connections == 1)
        }
    }

    @Test func aPushAboveTheLastStreamIsSentAgain() async throws {
        try await Sender.run([.goAway]) { client, server in
            _ = try await client.send(Sender.push()).get()
            #expect(server.requests.map(\.connection) == [1, 2])
        }
    }

    /// Goal: a GOAWAY during a load test neither loses nor duplicates pushes.
    @Test func goAwayMidFlightLosesNothing() async throws {
        let server = try await LeavingServer.start(requestsPerConnection: 40)
        let roots = FileManager.default.temporaryDirectory.appending(path: "leaving-\(UUID().uuidString).pem")
        try server.authorityPEM.write(to: roots, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: roots) }
        var configuration = APNSClient.Configuration(
            endpoint: Endpoint(host: "localhost", port: server.port),
            keys: [Sender.key],
            trustRoots: .file(roots.path(percentEncoded: false))
        )
        configuration.timeout = .seconds(60)
        let client = try APNSClient(configuration: configuration, logger: Sender.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    var push = try Sender.push()
                    push.payload = try PushPayload(encoding: ["n": number])
                    _ = try await client.send(push).get()
                }
            }
            try await group.waitForAll()
        }
        #expect(server.bodies.count == 400 && Set(server.bodies).count == 400)
        #expect(server.connections > 1)
        await client.shutdown()
        try await server.stop()
    }

    @Test func refusalWithoutEndIsAnError() async throws {
        try await Sender.run(Array(repeating: .refuse, count: 5)) { client, server in
            let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(error?.code == .refused && error?.mayHaveBeenAccepted == false)
            #expect(server.requests.count == 5)
        }
    }

    /// Goal: the client does not repeat a push that may have been accepted; the next push succeeds.
    @Test(arguments: [true, false]) func aLostPushIsAnErrorOnce(isStreamAlone: Bool) async throws {
        try await Sender.run([isStreamAlone ? .breakStream : .hangUp]) { client, server in
            let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(error?.code == .connectionLost && error?.remedy == .decide)
            _ = try await client.send(Sender.push()).get()
            #expect(server.requests.count == 2)
            #expect(server.connections == (isStreamAlone ? 1 : 2))
        }
    }

    /// Goal: a missing answer fails only that push, at its deadline.
    ///
    /// The connection stays in use.
    @Test func silenceEndsAtTheDeadline() async throws {
        try await Sender.run([.accept(), .silence]) { client, server in
            _ = try await client.send(Sender.push()).get()
            var push = try Sender.push()
            push.timeout = .milliseconds(300)
            let late = await client.send(push)
            let error = #expect(throws: APNSError.self) { try late.get() }
            #expect(error?.code == .deadlineExceeded && error?.mayHaveBeenAccepted == true)
            _ = try await client.send(Sender.push()).get()
            #expect(server.connections == 1)
        }
    }

    /// Goal: a ping detects a server that stopped answering, and the next push uses another connection.
    @Test func aDeadConnectionIsFoundOut() async throws {
        try await Sender.run([.accept(), .deafness]) { client, server in
            _ = try await client.send(Sender.push()).get()
            var push = try Sender.push()
            push.timeout = .milliseconds(300)
            let lost = await client.send(push)
            #expect(throws: APNSError.self) { try lost.get() }
            _ = try await client.send(Sender.push()).get()
            #expect(server.connections == 2)
        }
    }

    @Test func cancellationEndsAPushAtOnce() async throws {
        try await Sender.run([.accept(), .silence]) { client, server in
            _ = try await client.send(Sender.push()).get()
            let task = Task { await client.send(try Sender.push()) }
            await server.came(2)
            task.cancel()
            guard case .failed(let error) = try await task.value else {
                Issue.record("it was answered")
                return
            }
            #expect(error.code == .cancelled && error.mayHaveBeenAccepted)
            try await withThrowingTaskGroup(of: PushResult.self) { group in
                group.cancelAll()
                group.addTask { [push = try Sender.push()] in await client.send(push) }
                for try await result in group {
                    let unsent = #expect(throws: APNSError.self) { try result.get() }
                    #expect(unsent?.code == .cancelled && unsent?.mayHaveBeenAccepted == false)
                }
            }
            _ = try await client.send(Sender.push()).get()
            #expect(server.requests.count == 3)
        }
    }

    @Test func theServersLimitOfStreamsHolds() async throws {
        try await Sender.run(streamsMax: 1) { client, server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await client.send(Sender.push()).get() } }
                try await group.waitForAll()
            }
            #expect(server.requests.count == 20)
            #expect(server.connections <= 4)
        }
    }

    /// Goal: the client obeys stream limits that change during a load test.
    ///
    /// Otherwise the server would close the connection.
    @Test func aLimitThatChangesIsFollowed() async throws {
        let limits = [1000, 1, 5, 1, 1000].flatMap { limit -> [FakeAPNS.Action] in
            [.acceptWithStreams(limit)] + Array(repeating: .accept(), count: 20)
        }
        try await Sender.run(limits, streamsMax: 1) { client, server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { _ = try await client.send(Sender.push()).get() } }
                try await group.waitForAll()
            }
            #expect(server.requests.count == 200)
        }
    }

    /// Goal: after an expired provider token, the client opens a new connection, because APNs accepts no other token on
    /// the old one.
    @Test func aStaleTokenBringsANewConnection() async throws {
        let stale = FakeAPNS.Action.reject(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#)
        try await Sender.run([.accept(), stale]) { client, server in
            for _ in 0..<2 { _ = try await client.send(Sender.push()).get() }
            #expect(server.requests.map(\.connection) == [1, 1, 2])
        }
    }

    @Test func theServersEndMovesPushesElsewhere() async throws {
        try await Sender.run([.acceptAndGoAway(reason: "Shutdown")]) { client, server in
            for _ in 0..<2 { _ = try await client.send(Sender.push()).get() }
            #expect(server.requests.map(\.connection) == [1, 2])
        }
    }

    /// Goal: the client returns flow-control credit for error bodies, which together exceed a window.
    @Test func theWindowOfErrorBodiesComesBack() async throws {
        let reason = #"{"reason":"BadDeviceToken","x":"\#(String(repeating: "x", count: 3000))"}"#
        try await Sender.run(Array(repeating: .reject(status: 400, body: reason), count: 60)) { client, server in
            for _ in 0..<60 {
                guard case .rejected(let rejected) = try await client.send(Sender.push()) else {
                    Issue.record("it was not rejected")
                    return
                }
                #expect(rejected.reason == .badDeviceToken && rejected.remedy == .changePush)
            }
            #expect(server.connections == 1)
        }
    }

    @Test func answersAreReported() async throws {
        try await Sender.run([
            .reject(status: 410, body: #"{"reason":"Unregistered","timestamp":1800000000123}"#),
            .reject(status: 502, body: "<html>"),
            .reject(status: 403, body: #"{"reason":"BadEnvironmentKeyInToken"}"#),
            .accept(["apns-unique-id": "U"]),
        ]) { client, _ in
            let gone = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(gone?.reason == .unregistered && gone?.unregisteredAt == 1_800_000_000_123)
            let odd = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(odd?.code == .unexpectedResponse && odd?.message.contains("502") == true)
            let key = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
            #expect(key?.reason == .badEnvironmentKeyIDInToken && key?.remedy == .changeConfiguration)
            let accepted = try await client.send(Sender.push()).get()
            #expect(accepted.uniqueID == "U")
        }
    }

    @Test func pushesUnderWayEndBeforeTheClientDoes() async throws {
        let server = try await FakeAPNS.start()
        let client = try APNSClient(configuration: Sender.configuration(of: server), logger: Sender.logger)
        async let first = client.send(Sender.push())
        _ = try await first.get()
        await client.shutdown()
        let error = await #expect(throws: APNSError.self) { try await client.send(Sender.push()).get() }
        #expect(error?.code == .shutDown)
        try await server.stop()
    }
}

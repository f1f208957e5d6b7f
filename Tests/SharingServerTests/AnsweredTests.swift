internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsCommand

/// Tests for accepted requests, over real TLS.
struct AnsweredTests {
    let town: Town

    init() throws {
        self.town = try Town()
    }

    @Test(arguments: Suite.allCases)
    func requestIsAnswered(suite: Suite) async throws {
        let town = self.town
        let updates = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            var updates: [RequestUpdate] = []
            for await update in requester.ask(grant, suite: suite) { updates.append(update) }
            try await device
            return updates
        }
        let last = try #require(updates.last)
        #expect(updates.first?.state.kind == .accepted)
        #expect(last.state.kind == .answered)
        #expect(updates.count { $0.state.kind.isFinal } == 1)
        guard case .fix(let fix) = last.answer?.content else { throw TownError() }
        #expect(fix.latitude == Town.latitude && fix.longitude == Town.longitude)
        #expect(updates.map(\.elapsed) == updates.map(\.elapsed).sorted())
        #expect(town.push.attempts == 1)
    }

    @Test func progressIsTold() async throws {
        let town = self.town
        let kinds = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            var kinds: [RequestState.Kind] = []
            var incoming: IncomingRequest?
            // Each step waits for the previous state to arrive, so that the order is certain.
            for await update in requester.ask(grant) {
                kinds.append(update.state.kind)
                switch update.state.kind {
                case .pushed:
                    let received = try await town.received(by: sharer)
                    try await town.report(.woken, received, by: sharer, port: port)
                    incoming = received
                case .woken: try await town.report(.locating, #require(incoming), by: sharer, port: port)
                case .locating: try await sharer.respond(to: #require(incoming)) { throw TownError() }
                default: break
                }
            }
            return kinds
        }
        #expect(kinds == [.accepted, .pushed, .woken, .locating, .failed])
    }

    /// Goal: the requester sees that the device waits for its person, and nothing more before the consent.
    @Test func whoAsksWaitsForThePerson() async throws {
        let town = self.town
        let kinds = try await town.withServer { port in
            let limits = GrantLimits(usesMax: 1, asksPerson: true)
            let (sharer, requester, grant) = try await town.people(port: port, limits: limits)
            let (prompts, prompted) = AsyncStream.makeStream(of: Question.self)
            let incoming = Task { try await town.received(by: sharer) }
            async let device: Void = sharer.respond(to: incoming.value, prompt: { prompted.yield($0) }) {
                try Town.measure()
            }
            var kinds: [RequestState.Kind] = []
            for await update in requester.ask(grant) {
                kinds.append(update.state.kind)
                guard update.state.kind == .asking else { continue }
                // The progress report may arrive before the question.
                for await question in prompts.prefix(1) { try sharer.profile.answer(question, isAllowed: true) }
            }
            try await device
            #expect(try sharer.profile.usesLeft(of: grant.value) == 0)
            return kinds
        }
        #expect(kinds.suffix(2) == [.asking, .answered])
        #expect(!kinds.contains(.woken) && !kinds.contains(.locating))
    }

    /// Goal: no person is asked for a requester who withdrew.
    @Test func whoWithdrawsIsNotWaitedFor() async throws {
        let town = self.town
        let last = try await town.withServer { port in
            let (sharer, requester, asking) = try await town.people(port: port, limits: GrantLimits(asksPerson: true))
            let inquiry = requester.inquire(asking)
            var last: RequestUpdate?
            for await update in inquiry.updates {
                last = update
                guard update.state.kind == .pushed else { continue }
                try await town.report(.asking, town.received(by: sharer), by: sharer, port: port)
                inquiry.withdraw()
            }
            let grant = try sharer.approve(
                requester: requester.profile.identity.publicIdentity,
                precision: .full,
                for: .seconds(3600)
            )
            async let answer = requester.updates(grant).last
            try await sharer.respond(
                to: town.received(by: sharer),
                prompt: { _ in Issue.record("the request that was withdrawn waits no more") },
                measure: { try Town.measure() }
            )
            #expect(await answer?.state.kind == .answered)
            return last
        }
        #expect(last?.state.kind == .expired && last?.state.reason == "You withdrew the request.")
    }

    /// Goal: one push answers three requests at the same time.
    @Test func oneWakeAnswersAllWhoAsk() async throws {
        let town = self.town
        let kinds = try await town.withServer { port in
            let (sharer, requester, first) = try await town.people(port: port)
            var grants = [first]
            for _ in 0..<2 {
                let person = requester.profile.identity.publicIdentity
                grants.append(try sharer.approve(requester: person, precision: .full, for: .seconds(3600)))
            }
            return try await withThrowingTaskGroup(of: [RequestState.Kind].self) { group in
                for grant in grants {
                    let (pushes, pushed) = AsyncStream.makeStream(of: Void.self)
                    group.addTask {
                        var kinds: [RequestState.Kind] = []
                        for await update in requester.ask(grant) {
                            kinds.append(update.state.kind)
                            if update.state.kind == .pushed { pushed.yield() }
                        }
                        pushed.finish()
                        return kinds
                    }
                    for await _ in pushes { break }
                }
                try await sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        // Requesters cannot find out that others asked.
        #expect(kinds == Array(repeating: [.accepted, .pushed, .answered], count: 3))
        #expect(town.push.attempts == 1)
    }

    @Test func personSaysNo() async throws {
        let town = self.town
        let (last, journal) = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port, limits: GrantLimits(asksPerson: true))
            async let device: Void = sharer.respond(
                to: town.received(by: sharer),
                // The refusal is sent when the person's time ends, here after six seconds, so that a "no" looks like no
                // answer.
                within: .seconds(11),
                prompt: { try? sharer.profile.answer($0, isAllowed: false) },
                measure: { try Town.measure() }
            )
            let last = await requester.updates(grant).last
            try await device
            let rows = try sharer.profile.journal().requests.map { JournalRow($0, of: sharer.profile) }
            return (last, try String(decoding: JSONEncoder().encode(rows), as: UTF8.self))
        }
        #expect(last?.state.kind == .refused && last?.state.rule == .notConsented)
        #expect(journal.contains(#""code":"notConsented""#), "\(journal)")
    }

    @Test func reducedGrantGetsAReducedPosition() async throws {
        let town = self.town
        let last = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port, precision: .reduced)
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            let last = await requester.updates(grant).last
            try await device
            return last
        }
        guard case .fix(let fix) = last?.answer?.content else { throw TownError() }
        #expect(fix.horizontalAccuracy == 5000)
        #expect(fix.latitude != Town.latitude)
    }

    /// Goal: one wake-up answers all waiting requests.
    ///
    /// Method: three requests, and one device that is woken once.
    @Test func serverSeesNoPositionAndLogsNoSecret() async throws {
        let town = self.town
        let (sharer, requester) = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            #expect(await requester.updates(grant).last?.state.kind == .answered)
            try await device
            try await sharer.revoke(grant)
            #expect(await requester.updates(grant).last?.state.kind == .refused)
            return (sharer.profile.identity.publicIdentity, requester.profile.identity.publicIdentity)
        }
        let clear = encodedPosition()
        for name in try FileManager.default.contentsOfDirectory(atPath: town.directory)
        where name.hasPrefix("server.sqlite") {
            let file = try Data(contentsOf: URL(filePath: town.path(name)))
            #expect(file.range(of: clear) == nil, "\(name)")
            #expect(file.range(of: Data("52.520".utf8)) == nil, "\(name)")
        }
        let log = town.log.text(above: .debug)
        #expect(log.contains("request accepted") && log.contains("request refused"))
        for secret in [
            Hex.text(of: Array(Town.token)), Base64URL.text(of: Town.token), Town.token.base64EncodedString(),
            Town.topic, "52.520", "13.404", sharer.text, requester.text, Hex.text(of: sharer.bytes),
            Hex.text(of: requester.bytes), "\(sharer.bytes)", "\([UInt8](Town.token))",
        ] {
            #expect(!log.contains(secret), "\(secret)")
        }
    }

    /// The position as the answer encodes it: two big-endian 32-bit integers.
    private func encodedPosition() -> Data {
        var writer = ByteWriter()
        writer.integer(Int32((Town.latitude * 1e7).rounded()))
        writer.integer(Int32((Town.longitude * 1e7).rounded()))
        return Data(writer.bytes)
    }
}

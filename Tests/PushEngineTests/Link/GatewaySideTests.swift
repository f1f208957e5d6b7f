internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct GatewaySideTests {
    // MARK: The matrix.

    /// Every state, and how to reach it by public calls.
    enum Start: String, CaseIterable {
        case unproven
        case checking
        case open
        case ended
    }

    /// An input, at the earliest time at which it can arrive.
    enum Happening: String, CaseIterable {
        case connected
        case proof
        case request
        case ping
        case unknown
        case good
        case bad
        case told
        case unread
        case done
        case left
        case end
        case hungUp
        case early
        case due
    }

    /// The state after each input, by its first letter; `-` if nothing happens.
    static let table = """
                  connected proof request ping unknown good bad told unread done left end hungUp early due
        unproven  u         c     e       e    e       -    -   -    -      -    -    e   e      -     e
        checking  -         e     e       e    e       o    e   -    -      -    -    e   e      -     -
        open      -         e     o       o    o       -    -   o    e      -    -    e   e      -     e
        ended     -         -     -       -    -       -    -   -    -      -    -    -   -      -     -
        """

    static func side(in start: Start) throws -> GatewaySide {
        var generator = Longest()
        let now = try LinkWords.instant("@0")
        var side = GatewaySide(LinkID(1), from: LinkWords.address, now: now, using: &generator)
        let steps: [GatewaySide.Input] =
            switch start {
            case .unproven: []
            case .checking: [.received(.proof(LinkWords.proof))]
            case .open: [.received(.proof(LinkWords.proof)), .proofChecked(isValid: true)]
            case .ended: [.connectionEnded]
            }
        for step in steps { _ = side.handle(step, now: now) }
        return side
    }

    static func letter(_ side: GatewaySide) -> String {
        switch side.state {
        case .unproven: "u"
        case .checking: "c"
        case .open: "o"
        case .ended: "e"
        }
    }

    static func input(_ happening: Happening) -> GatewaySide.Input {
        switch happening {
        case .connected: .connected
        case .proof: .received(.proof(LinkWords.proof))
        case .request: .received(.request(.register(topic: "a")))
        case .ping: .received(.ping(1))
        case .unknown: .received(nil)
        case .good: .proofChecked(isValid: true)
        case .bad: .proofChecked(isValid: false)
        case .told: .messageDecided(.unregistered(topic: "a"), isWritable: true)
        case .unread: .messageDecided(.unregistered(topic: "a"), isWritable: false)
        case .done: .requestFinished
        case .left: .messageLeft(.pong(1))
        case .end: .endDecided(reason: "why")
        case .hungUp: .connectionEnded
        case .early, .due: .deadlineReached
        }
    }

    @Test func everyInputInEveryState() throws {
        var rows = [Happening.allCases.map(\.rawValue)]
        for start in Start.allCases {
            var row = [start.rawValue]
            for happening in Happening.allCases {
                var side = try Self.side(in: start)
                let before = side
                let due = try side.deadline ?? LinkWords.instant("@1000")
                let now = happening == .due ? due : EngineInstant(sinceStart: due.sinceStart - .milliseconds(1))
                let effects = side.handle(Self.input(happening), now: now)
                row.append(side == before && effects.isEmpty ? "-" : Self.letter(side))
            }
            rows.append(row)
        }
        #expect(rows == Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) })
    }

    // MARK: Transcripts.

    /// One line per step, `@seconds input -> effects | the next deadline`.
    @Test(arguments: [
        // A well-behaved device, until it disconnects.
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 good -> welcome(210) opened | 631
        @2 register a -> feed(register(a)) | 632
        @3 tell a -> gone(a) | 632
        @4 topics a b -> feed(topics(a b)) | 634
        @5 ack 1 -> feed(ack(1)) | 635
        @215 ping 1 -> pong(1) | 845
        @216 unknown -> - | 846
        @217 hungup -> closed | never
        @218 tell a -> - | never
        """,
        // A silent device counts as connected for three keepalive intervals.
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 good -> welcome(210) opened | 631
        @210 ping 1 -> pong(1) | 840
        @839.9 due -> - | 840
        @840 due -> closed goaway(the device was silent for 630.0 seconds) disconnect | never
        @841 hungup -> - | never
        """,
        // A device that proves no key gets nothing, and the gateway's engine is not notified of it.
        """
        @0 connected -> challenge | 10
        @10 due -> goaway(no proof within 10.0 seconds) disconnect | never
        """,
        """
        @0 connected -> challenge | 10
        @1 register a -> goaway(the first frame must be the proof) disconnect | never
        @1 proof -> - | never
        """,
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 bad -> goaway(the signature is not by the device key over this connection's nonce) disconnect | never
        """,
        // Reasons of the gateway; it does not wait for a device that does not read.
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 good -> welcome(210) opened | 631
        @2 end -> closed goaway(why) disconnect | never
        """,
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 good -> welcome(210) opened | 631
        @2 tellfull a -> closed goaway(the device reads too slowly) disconnect | never
        """,
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 good -> welcome(210) opened | 631
        @2 proof -> closed goaway(a proof was given already) disconnect | never
        """,
        // Only one answer to a ping is in transit at a time, for the newest ping.
        """
        @0 connected -> challenge | 10
        @1 proof -> verify | never
        @1 good -> welcome(210) opened | 631
        @2 ping 1 -> pong(1) | 632
        @2 ping 2 -> - | 632
        @2 ping 3 -> - | 632
        @3 ponged -> pong(3) | 632
        @4 ponged -> - | 632
        @5 ping 4 -> pong(4) | 635
        """,
    ])
    func script(_ script: String) throws {
        var generator = Longest()
        var side = GatewaySide(
            LinkID(1),
            from: LinkWords.address,
            now: try LinkWords.instant("@0"),
            using: &generator
        )
        let transcript = try script.split(separator: "\n").map { line in
            let step = try #require(line.split(separator: " -> ").first)
            let words = step.split(separator: " ").map(String.init)
            let effects = side.handle(try Self.input(Array(words.dropFirst())), now: try LinkWords.instant(words[0]))
            let text = effects.isEmpty ? "-" : effects.map(Self.text).joined(separator: " ")
            return "\(step) -> \(text) | \(LinkWords.text(side.deadline))"
        }
        #expect(transcript.joined(separator: "\n") == script)
    }

    /// Goal: a link that ends has a reason of the list, which the host counts; a link that the device closed has none.
    @Test func theReasonOfAnEndIsKept() throws {
        let start = try LinkWords.instant("@0")
        let late = try LinkWords.instant("@9999")
        let pings = (0...LinkIntake.chatterBurst).map { GatewaySide.Input.received(.ping(UInt64($0))) }
        let rows: [(Start, [GatewaySide.Input], EngineInstant, LinkEnding?)] = [
            (.unproven, [.deadlineReached], late, .lateProof),
            (.unproven, [.received(.ping(1))], start, .outOfTurn),
            (.checking, [.proofChecked(isValid: false)], start, .badProof),
            (.open, [.received(.proof(LinkWords.proof))], start, .outOfTurn),
            (.open, [.deadlineReached], late, .silent),
            (.open, [.messageDecided(.unregistered(topic: "a"), isWritable: false)], start, .unread),
            (.open, Array(repeating: .received(nil), count: LinkIntake.chatterBurst + 1), start, .flood),
            (.open, pings, start, .flood),
            (.open, [.endDecided(.unreadable, reason: "why")], start, .unreadable),
            (.open, [.endDecided(reason: "why")], start, .decided),
            (.open, [.connectionEnded], start, nil),
        ]
        for (state, inputs, now, ending) in rows {
            var side = try Self.side(in: state)
            for input in inputs { _ = side.handle(input, now: now) }
            #expect(side.ending == ending, "\(state) \(inputs[0])")
        }
    }

    static func input(_ words: [String]) throws -> GatewaySide.Input {
        switch (words[0], words.count) {
        case ("connected", 1): .connected
        case ("proof", 1): .received(.proof(LinkWords.proof))
        case ("good", 1): .proofChecked(isValid: true)
        case ("bad", 1): .proofChecked(isValid: false)
        case ("register", 2): .received(.request(.register(topic: words[1])))
        case ("topics", _): .received(.request(.enableTopics(Array(words.dropFirst()))))
        case ("ack", 2): .received(.request(.acknowledge(id: try LinkWords.id(words[1]).bytes)))
        case ("ping", 2): .received(.ping(try #require(UInt64(words[1]))))
        case ("unknown", 1): .received(nil)
        case ("tell", 2): .messageDecided(.unregistered(topic: words[1]), isWritable: true)
        case ("done", 1): .requestFinished
        case ("ponged", 1): .messageLeft(.pong(0))
        case ("told", 2): .messageLeft(.unregistered(topic: words[1]))
        case ("tellfull", 2): .messageDecided(.unregistered(topic: words[1]), isWritable: false)
        case ("end", 1): .endDecided(reason: "why")
        case ("hungup", 1): .connectionEnded
        case ("due", 1): .deadlineReached
        default: preconditionFailure("unknown step: \(words.joined(separator: " "))")
        }
    }

    static func text(_ effect: GatewaySide.Effect) -> String {
        switch effect {
        case .send(let message): LinkWords.text(message)
        case .verify: "verify"
        case .feed(.linkOpened(LinkID(1), LinkWords.device, LinkWords.address)): "opened"
        case .feed(.linkOpened): "?"
        case .feed(.linkClosed(let link, let device)): link == LinkID(1) && device == LinkWords.device ? "closed" : "?"
        case .feed(.requested(let request, _, _)): "feed(\(LinkWords.text(request)))"
        case .feed(.pushReceived), .feed(.sweepDue), .feed(.deviceRemoved), .feed(.tokenRemoved), .feed(.relayEnded):
            "?"
        case .setReading(let isReading): isReading ? "read" : "wait"
        case .disconnect: "disconnect"
        }
    }

    // MARK: Bounds.

    /// Goal: a device may have this many requests in progress; further ones wait unread, in their order.
    @Test func aDeviceWaitsForItsOwnRequests() throws {
        var side = try Self.side(in: .open)
        let now = try LinkWords.instant("@1")
        func ask(_ number: Int) -> [GatewaySide.Effect] {
            side.handle(.received(.request(.register(topic: "t\(number)"))), now: now)
        }
        func fed(_ number: Int) -> GatewaySide.Effect {
            .feed(.requested(.register(topic: "t\(number)"), LinkID(1), LinkWords.device))
        }
        for number in 1..<LinkIntake.underWayMax { #expect(ask(number) == [fed(number)]) }
        #expect(ask(16) == [fed(16), .setReading(false)])
        #expect(ask(17) == [])
        #expect(ask(18) == [])
        #expect(side.handle(.requestFinished, now: now) == [fed(17)])
        // An answer counts until it has been sent.
        #expect(side.handle(.messageDecided(.unregistered(topic: "t1"), isWritable: true), now: now).count == 1)
        #expect(side.handle(.messageLeft(.unregistered(topic: "t1")), now: now) == [fed(18)])
        #expect(side.handle(.requestFinished, now: now) == [.setReading(true)])
    }

    @Test func aDeviceThatSaysTooMuchAtOnceIsEnded() throws {
        var side = try Self.side(in: .open)
        let now = try LinkWords.instant("@1")
        let most = LinkIntake.underWayMax + LinkIntake.waitingMax
        for _ in 0..<most { _ = side.handle(.received(.request(.enableTopics([]))), now: now) }
        #expect(Self.letter(side) == "o")
        let end = side.handle(.received(.request(.enableTopics([]))), now: now)
        // The rest of the flood is not read.
        #expect(end.first == .setReading(false) && end.last == .disconnect)
    }

    @Test(arguments: [DeviceMessage.ping(1), nil]) func framesThatAskForNothingAreBounded(
        _ message: DeviceMessage?
    ) throws {
        var side = try Self.side(in: .open)
        let now = try LinkWords.instant("@1")
        for _ in 0..<LinkIntake.chatterBurst { _ = side.handle(.received(message), now: now) }
        #expect(Self.letter(side) == "o")
        var later = side
        _ = later.handle(.received(message), now: now.advanced(by: LinkIntake.chatterInterval))
        #expect(Self.letter(later) == "o")
        let end = side.handle(.received(message), now: now)
        #expect(end.first == .setReading(false) && end.last == .disconnect)
    }

    @Test func noTwoConnectionsHaveOneNonce() throws {
        var generator = SystemRandomNumberGenerator()
        let now = try LinkWords.instant("@0")
        let nonces = (0..<100).map { _ in
            GatewaySide(LinkID(1), from: LinkWords.address, now: now, using: &generator).state
        }
        #expect(Set(nonces).count == 100)
    }

    // MARK: Both sides.

    /// Goal: the two sides understand each other, whatever happens in between.
    ///
    /// Method: messages are passed from one side to the other until none is left.
    @Test func theTwoSidesAgree() throws {
        let now = try LinkWords.instant("@0")
        var generator = SeededGenerator(seed: 1)
        var device = DeviceSide()
        var gateway = GatewaySide(LinkID(1), from: LinkWords.address, now: now, using: &generator)
        var fed: [Gateway.Input] = []
        var toDevice: [DeviceSide.Input] = [.registrationWanted(topic: "a"), .topicsEnabled(["a"]), .started]
        var toGateway: [GatewaySide.Input] = []
        while !toDevice.isEmpty || !toGateway.isEmpty {
            for effect in toDevice.isEmpty ? [] : device.handle(toDevice.removeFirst(), now: now, using: &generator) {
                switch effect {
                case .connect: toGateway.append(.connected)
                case .disconnect: toGateway.append(.connectionEnded)
                case .sign(let nonce):
                    toGateway.append(.received(.proof(LinkProof(device: LinkWords.device, signature: nonce))))
                case .send(let message): toGateway.append(.received(message))
                case .tell, .note: break
                }
            }
            for effect in toGateway.isEmpty ? [] : gateway.handle(toGateway.removeFirst(), now: now) {
                switch effect {
                case .send(let message): toDevice.append(.received(message))
                case .verify(let proof, let nonce):
                    toGateway.append(.proofChecked(isValid: proof.signature == nonce))
                case .feed(let input): fed.append(input)
                case .setReading: break
                case .disconnect: toDevice.append(.connectionEnded(reason: ""))
                }
            }
        }
        #expect(
            fed == [
                .linkOpened(LinkID(1), LinkWords.device, LinkWords.address),
                .requested(.register(topic: "a"), LinkID(1), LinkWords.device),
                .requested(.enableTopics(["a"]), LinkID(1), LinkWords.device),
            ]
        )
        #expect(DeviceSideTests.letter(device) == "o" && Self.letter(gateway) == "o")
    }
}

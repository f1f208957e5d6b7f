internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

/// Requests under way while another device of the person is chosen, one is removed, or sharing is paused (ADR 0083).
struct DeviceChangeTests {
    /// A server and its store, in a script; each request is under a grant of its own.
    ///
    /// - `choose 1`, `pause 1`, `remove 1`: the statements of device 1, whose token is its number.
    /// - `ask 1`, `taken 1`, `gone 1`, `woken 1`, `answer 1`: as in ``WakingTests``; a push names the device, too.
    /// - `look`: the host's timer fires.
    private struct Bench {
        var server = Server(policy: SharingPolicy())
        var lane = PushLane()
        var store = ModelRequestStore()
        var chosen: [UInt8: WallTime] = [:]

        mutating func decide<Reply>(
            _ input: (Server, any RequestStoreTransaction) throws -> Server.Decision<Reply>
        ) throws -> (reply: Reply, said: [String]) {
            let server = self.server
            let (decision, changed) = try self.store.transaction { try input(server, $0) }
            if let changed { self.store = changed }
            return (decision.reply, try decision.effects.compactMap { try self.text($0) })
        }

        /// The consequences that others see; that a request was accepted or answered goes without saying.
        private mutating func text(_ effect: Server.Effect) throws -> String? {
            switch effect {
            case .push(let id): return self.lane.pushWanted(id) == .send ? try self.push(id) : nil
            case .sharePush(let id): return "shared(\(id.bytes[0]))"
            case .announce(let id, let state):
                return [.accepted, .answered].contains(state.kind) ? nil : "\(id.bytes[0]):\(state.kind.rawValue)"
            case .look: return nil
            }
        }

        private func push(_ id: RequestID) throws -> String? {
            guard case .send(let push) = try self.server.pushDue(id, self.store.view) else { return nil }
            return "push(\(id.bytes[0])>\(push.token.bytes[0]))"
        }

        mutating func register(_ number: UInt8, token: [UInt8], now: WallTime) throws -> [String] {
            let verified = try makeRegistration(number, token: token, chosen: self.chosen[number] ?? now, issued: now)
            let (reply, said) = try self.decide { try $0.deviceRegistered(verified, $1, now: now) }
            #expect(reply == .confirm)
            return said
        }

        mutating func step(_ words: [Substring], now: WallTime) throws -> [String] {
            let number = words.count > 1 ? try #require(UInt8(words[1])) : 0
            let request = try makeRequest(max(number, 1), under: max(number, 1))
            let id = request.value.id
            switch words[0] {
            case "choose":
                self.chosen[number] = now
                return try self.register(number, token: [number], now: now)
            case "pause": return try self.register(number, token: [], now: now)
            case "remove":
                let value = DeviceRemoval(device: DeviceID(high: 0, low: UInt64(number)), sharer: try identity(3))
                let verified = Verified(Signed(value: value, signature: []))
                let (reply, said) = try self.decide { try $0.deviceRemoved(verified, $1, now: now) }
                #expect(reply == .confirm)
                return said
            case "ask":
                let (reply, said) = try self.decide { try $0.requestReceived(request, $1, now: now) }
                #expect(reply == .accept)
                return said
            case "taken", "gone":
                let device = words.count > 2 ? try #require(UInt8(words[2])) : 1
                let token = try #require(DeviceToken(bytes: [device]))
                let rejection: PushRejection? = words[0] == "taken" ? nil : .unregistered
                let said = try self.decide { try $0.pushEnded(id, token: token, rejection, $1, now: now) }.said
                return try said + [self.lane.attemptEnded(id).flatMap { try self.push($0) }].compactMap { $0 }
            case "woken":
                let report = DeviceReport(request: id, sharer: try identity(3), progress: .woken)
                let verified = Verified(Signed(value: report, signature: []))
                return try self.decide { try $0.deviceReported(verified, $1, now: now) }.said
            case "answer":
                let value = SealedAnswer(request: id, sharer: try identity(3), sealed: [])
                let verified = Verified(Signed(value: value, signature: []))
                let (reply, said) = try self.decide { try $0.answerReceived(verified, bytes: [7], $1, now: now) }
                guard case .deliver(_, let pending, _) = reply else { throw FixtureError() }
                let told = pending.map { "\($0.value.id.bytes[0])" }.joined(separator: ",")
                return said + (told.isEmpty ? [] : ["tell(\(told))"])
            case "look": return try self.decide { try $0.look($1, now: now) }.said
            default: throw FixtureError()
            }
        }
    }

    @Test(arguments: [
        // Sharing is paused: whatever no device was heard of ends at once, and an answer that was on its way comes too late.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.5 ask 2 -> shared(2) 2:pushed
        @0.9 pause 1 -> 1:unreachable 2:unreachable
        @1 pause 1 -> -
        @1.1 answer 1 -> -
        @1.2 look -> -
        """,
        // The device was heard of: it says for itself that it may not tell.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.4 woken 1 -> 1:woken
        @0.9 pause 1 -> -
        @1 answer 1 -> -
        """,
        // Another device that does not answer is paused: that is its own business.
        """
        @0 choose 1 -> -
        @1 choose 2 -> -
        @1 ask 1 -> push(1>2)
        @1.1 taken 1 2 -> 1:pushed
        @1.2 pause 1 -> -
        @2 answer 1 -> -
        """,
        // The push service knows the device no more: nobody waits for the pushes that it took before.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @0.5 answer 1 -> -
        @1 ask 2 -> push(2>1)
        @1.1 ask 3 -> shared(3)
        @1.2 gone 2 -> 2:unreachable 3:unreachable
        """,
        // Another device is chosen: who was told answers, and is notified of nobody else; who waited is asked for at the other one.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @1 ask 2 -> shared(2) 2:pushed
        @2 choose 2 -> -
        @2 look -> push(2>2)
        @2.1 ask 3 -> push(3>2)
        @2.1 taken 3 2 -> 3:pushed
        @2.2 ask 4 -> shared(4) 4:pushed
        @2.3 answer 1 -> -
        @3 answer 3 -> tell(4)
        @3.1 answer 2 -> -
        @3.2 answer 4 -> -
        """,
        // An answer that is posted once more, after another device was chosen, brings its device nothing.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @1 answer 1 -> -
        @2 choose 2 -> -
        @2 ask 2 -> push(2>2)
        @2.1 ask 3 -> shared(3)
        @2.2 answer 1 -> -
        @2.3 answer 2 -> tell(3)
        """,
        // The one that is chosen is paused, and so is sharing.
        """
        @0 choose 2 -> -
        @0.1 pause 2 -> -
        @1 choose 1 -> -
        @1 ask 1 -> push(1>1)
        @1.1 taken 1 -> 1:pushed
        @2 remove 1 -> 1:unreachable
        @2.1 ask 2 -> 2:unreachable
        """,
        // The device that was told is removed: its answer comes too late, and the next request goes to the other one.
        """
        @0 choose 1 -> -
        @1 choose 2 -> -
        @1 ask 1 -> push(1>2)
        @1.1 taken 1 2 -> 1:pushed
        @1.4 woken 1 -> 1:woken
        @1.5 ask 2 -> shared(2) 2:pushed
        @2 remove 2 -> 1:unreachable 2:unreachable
        @2.1 ask 3 -> push(3>1)
        @2.2 answer 1 -> -
        @2.3 remove 2 -> -
        @3 answer 3 -> -
        """,
        // A device that was chosen before is removed, and with it what it was notified of; the others go on.
        """
        @0 choose 1 -> -
        @0 ask 1 -> push(1>1)
        @0.1 taken 1 -> 1:pushed
        @1 choose 2 -> -
        @1.1 ask 2 -> push(2>2)
        @1.2 taken 2 2 -> 2:pushed
        @2 remove 1 -> 1:unreachable
        @2.1 ask 3 -> shared(3) 3:pushed
        @3 answer 2 -> tell(3)
        """,
    ]) func transcript(_ script: String) throws {
        var bench = Bench()
        for step in try Step.read(script) {
            let said = try bench.step(step.words, now: step.now.wall)
            step.expect(said)
        }
    }

    /// Goal: a change reaches all that is under way, also behind as many as a device is notified of at once.
    @Test func nothingUnderWayIsLeftBehind() throws {
        let policy = SharingPolicy(pendingPerSharerMax: 40)
        var bench = Bench()
        bench.server = Server(policy: policy)
        _ = try bench.step(["choose", "1"], now: noon)
        for number in UInt8(1)...30 { _ = try bench.step(["ask", "\(number)"], now: noon) }
        let ended = try bench.step(["remove", "1"], now: after(1))
        #expect(ended.count == 30)
    }
}

internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

/// A server and its store, in a script; each request is under a grant of its own, and a push names the device, too.
///
/// - `choose 1`, `pause 1`, `remove 1`: the statements of device 1, whose token is its number.
/// - `ask 1`, `may 1`: request 1 comes; under the second kind of grant the person is asked.
/// - `taken 1`, `refused 1`, `gone 1 2`: the push service took its push to device 2, or to 1 if none is named, refused it for
///   good, or says that the token is void.
/// - `answer 1`, `woken 1`, `asking 1`: the device answers it, or says that it was woken or that its person is asked.
/// - `leave 1`: anyone who asked withdraws it.
/// - `look`: the host's timer fires.
struct ServerBench {
    let server: Server
    private var lane = PushLane()
    private(set) var store = ModelRequestStore()
    private var chosen: [UInt8: WallTime] = [:]
    /// The requests whose person is asked.
    private var asking: Set<UInt8> = []

    init(_ policy: SharingPolicy = SharingPolicy()) {
        self.server = Server(policy: policy)
    }

    mutating func decide<Reply>(
        _ input: (Server, any RequestStoreTransaction) throws -> Server.Decision<Reply>
    ) throws -> (reply: Reply, said: [String]) {
        let server = self.server
        let (decision, changed) = try self.store.transaction { try input(server, $0) }
        if let changed { self.store = changed }
        return (decision.reply, try decision.effects.compactMap { try self.text($0) })
    }

    /// The effects that others see; acceptance and answering are omitted.
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

    private mutating func register(_ number: UInt8, token: [UInt8], now: WallTime) throws -> [String] {
        let verified = try makeRegistration(number, token: token, chosen: self.chosen[number] ?? now, issued: now)
        let (reply, said) = try self.decide { try $0.deviceRegistered(verified, $1, now: now) }
        #expect(reply == .confirm)
        return said
    }

    private mutating func reported(_ progress: DeviceProgress, _ id: RequestID, now: WallTime) throws -> [String] {
        let report = DeviceReport(request: id, sharer: try identity(3), progress: progress)
        return try self.decide { try $0.deviceReported(verified(report), $1, now: now) }.said
    }

    private mutating func pushEnded(
        _ id: RequestID,
        at device: UInt8,
        _ rejection: PushRejection?,
        now: WallTime
    ) throws -> [String] {
        let token = try #require(DeviceToken(bytes: [device]))
        let said = try self.decide { try $0.pushEnded(id, token: token, rejection, $1, now: now) }.said
        return try said + [self.lane.attemptEnded(id).flatMap { try self.push($0) }].compactMap { $0 }
    }

    func request(_ number: UInt8) throws -> Verified<Request> {
        try makeRequest(number, under: number, asksPerson: self.asking.contains(number))
    }

    mutating func step(_ words: [Substring], now: WallTime) throws -> [String] {
        let number = words.count > 1 ? try #require(UInt8(words[1])) : 1
        let device = words.count > 2 ? try #require(UInt8(words[2])) : 1
        if words[0] == "may" { self.asking.insert(number) }
        let request = try self.request(number)
        let id = request.value.id
        switch words[0] {
        case "choose":
            self.chosen[number] = now
            return try self.register(number, token: [number], now: now)
        case "pause": return try self.register(number, token: [], now: now)
        case "remove":
            let removal = DeviceRemoval(device: DeviceID(high: 0, low: UInt64(number)), sharer: try identity(3))
            let (reply, said) = try self.decide { try $0.deviceRemoved(verified(removal), $1, now: now) }
            #expect(reply == .confirm)
            return said
        case "ask", "may":
            let (reply, said) = try self.decide { try $0.requestReceived(request, $1, now: now) }
            #expect(reply == .accept)
            return said
        case "taken": return try self.pushEnded(id, at: device, nil, now: now)
        case "refused": return try self.pushEnded(id, at: device, .permanent("BadTopic"), now: now)
        case "gone": return try self.pushEnded(id, at: device, .unregistered, now: now)
        case "woken": return try self.reported(.woken, id, now: now)
        case "asking": return try self.reported(.asking, id, now: now)
        case "answer":
            let answer = SealedAnswer(request: id, sharer: try identity(3), sealed: [])
            let (reply, said) = try self.decide { try $0.answerReceived(verified(answer), bytes: [7], $1, now: now) }
            guard case .deliver(_, let pending, _) = reply else { throw FixtureError() }
            let told = pending.map { "\($0.value.id.bytes[0])" }.joined(separator: ",")
            return said + (told.isEmpty ? [] : ["tell(\(told))"])
        case "leave":
            let end = FollowingEnd(request: id, author: try identity(4), time: now, reason: .byFollower)
            let (reply, said) = try self.decide { try $0.followingEnded(verified(end), bytes: [4], $1, now: now) }
            #expect(reply == .confirm)
            return said
        case "look": return try self.decide { try $0.look($1, now: now) }.said
        default: throw FixtureError()
        }
    }
}

internal import Foundation
package import NIOCore
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsJSONReading
package import WhereaboutsPushEngine
package import WhereaboutsVocabulary

/// Decides the outcome of requests to a mock of APNs, and lists the requests.
package final class MockHost: Sendable {
    /// The number of newest requests that a mock lists.
    ///
    /// Source: our choice; about 60 MB with the largest payloads.
    package static let pushesMax = 10_000

    /// How a mock treats pushes to which no rule of its script applies.
    package struct Policy: Sendable {
        /// The environment whose device tokens it knows.
        package var environment: MockScript.Environment
        /// Whether the mock rejects pushes that Apple accepts but does not deliver.
        package var isStrict: Bool

        package init(environment: MockScript.Environment = .production, isStrict: Bool = false) {
            self.environment = environment
            self.isStrict = isStrict
        }
    }

    private struct Waiter {
        /// The number after which requests count; 0 after the list was cleared, because numbers start at 1 again.
        var after: Int
        let count: Int
        let promise: EventLoopPromise<[MockPush]>
    }

    private struct State {
        var script: MockScript
        var review = MockReview()
        var channels = MockChannels()
        /// The listed requests, and up to as many older ones, which are dropped together.
        var pushes: [MockPush] = []
        var pushesCount = 0
        var connectionsCount = 0
        var waiters: [Int: Waiter] = [:]
        var waitersCount = 0

        func listed(after number: Int) -> [MockPush] {
            self.pushes.suffix(MockHost.pushesMax).filter { $0.number > number }
        }
    }

    private let state: Mutex<State>
    private let policy: Policy
    let now: @Sendable () -> WallTime
    /// Called with each request after it was listed.
    private let observe: @Sendable (MockPush) -> Void

    package init(
        script: MockScript,
        policy: Policy,
        now: @escaping @Sendable () -> WallTime,
        observe: @escaping @Sendable (MockPush) -> Void
    ) {
        self.state = Mutex(State(script: script))
        self.policy = policy
        self.now = now
        self.observe = observe
    }

    // MARK: Requests, from event loops.

    /// Returns the number of a new connection.
    func connectionOpened() -> Int {
        self.state.withLock { state in
            state.connectionsCount += 1
            return state.connectionsCount
        }
    }

    /// Records a request whose provider token is rejected.
    ///
    /// - Parameters:
    ///   - reason: the reason of the answer.
    ///   - fault: what is wrong with the token; nil if the reason says it.
    ///   - request: the request.
    ///   - id: the `apns-id` of the answer.
    ///   - connection: the number of the connection.
    func rejected(_ reason: Reason, _ fault: String?, _ request: PushRequest, id: String, on connection: Int) {
        _ = self.record(request, id: id, from: nil, on: connection) { _ in
            Judgement(MockScript.Outcome(end: .reject(reason)), explanation: fault ?? reason.advice)
        }
    }

    /// Records a complete request.
    ///
    /// - Returns: its end.
    func outcome(
        of request: PushRequest,
        _ scope: TopicScope,
        id: String,
        from claims: ProviderClaims?,
        on connection: Int
    ) -> MockScript.Outcome {
        let now = self.now()
        return self.record(request, id: id, from: claims, on: connection) { state in
            if request.isAboutChannels { return self.judgement(of: request, scope, &state, now) }
            let push: ValidPush
            do throws(Rejection) {
                push = try request.validated(for: scope, id: id, now: now)
            } catch {
                return Judgement(error, request)
            }
            let aps = Self.apsMembers(of: push.payload)
            let findings = state.review.findings(in: push, request, aps, from: claims, now: now)
            if self.policy.isStrict, let finding = findings.first {
                let outcome = MockScript.Outcome(end: .reject(finding.reason))
                return Judgement(outcome, explanation: finding.words, findings: findings)
            }
            var outcome = state.script.pushReceived(push, in: self.policy.environment)
            guard case .reject(let reason, let timestamp) = outcome.end else {
                return Judgement(outcome, findings: findings)
            }
            if reason.status == 410 { outcome.end = .reject(reason, timestamp: timestamp ?? now.wholeMilliseconds) }
            let explanation = outcome.isScripted ? nil : self.explanation(of: reason, push, state.script)
            return Judgement(outcome, explanation: explanation, findings: findings)
        }
    }

    private func judgement(
        of request: PushRequest,
        _ scope: TopicScope,
        _ state: inout State,
        _ now: WallTime
    ) -> Judgement {
        let answer: MockChannels.Answer
        do throws(Rejection) {
            let terms = MockChannelsJSON.terms(in: request)
            answer = try state.channels.requested(request, terms, for: scope, newID: MockChannelsJSON.newID())
        } catch {
            return Judgement(error, request)
        }
        guard answer == .sent, let app = request.channelApp else {
            return Judgement(MockScript.Outcome(end: .accept, channels: answer), isListed: false)
        }
        let aps = Self.apsMembers(of: request.bodyBytes)
        let findings = MockReview.findings(inBroadcast: request, aps, now: now)
        if self.policy.isStrict, let finding = findings.first {
            let outcome = MockScript.Outcome(end: .reject(finding.reason))
            return Judgement(outcome, explanation: finding.words, findings: findings)
        }
        return Judgement(state.script.broadcastReceived(to: app), findings: findings)
    }

    private struct Judgement {
        let outcome: MockScript.Outcome
        var explanation: String?
        var findings: [MockFinding] = []
        /// Whether the request is listed; accepted requests that only change or show channels are not pushes.
        var isListed = true

        init(
            _ outcome: MockScript.Outcome,
            explanation: String? = nil,
            findings: [MockFinding] = [],
            isListed: Bool = true
        ) {
            self.outcome = outcome
            self.explanation = explanation
            self.findings = findings
            self.isListed = isListed
        }

        init(_ rejection: Rejection, _ request: PushRequest) {
            let reason = rejection.reason
            self.outcome = MockScript.Outcome(end: .reject(reason, timestamp: rejection.timestamp))
            self.explanation = MockReview.explanation(of: reason, request) ?? reason.advice
        }
    }

    private func explanation(of reason: Reason, _ push: ValidPush, _ script: MockScript) -> String {
        guard reason == .badDeviceToken else { return reason.advice }
        guard let other = script.tokens?[push.token]?.environment else { return "The device token is not registered." }
        return "The device token is of the environment \(other.rawValue); this is \(self.policy.environment.rawValue)."
    }

    private typealias Woken = (promise: EventLoopPromise<[MockPush]>, pushes: [MockPush])

    private func record(
        _ request: PushRequest,
        id: String,
        from claims: ProviderClaims?,
        on connection: Int,
        _ judge: (inout State) -> Judgement
    ) -> MockScript.Outcome {
        let now = self.now()
        let (push, outcome, awake) = self.state.withLock { state -> (MockPush?, MockScript.Outcome, [Woken]) in
            let judgement = judge(&state)
            guard judgement.isListed else { return (nil, judgement.outcome, []) }
            state.pushesCount += 1
            let push = MockPush(
                request,
                id: id,
                number: state.pushesCount,
                connection: connection,
                provider: claims,
                receivedAt: now,
                outcome: judgement.outcome,
                explanation: judgement.explanation,
                findings: judgement.findings
            )
            if state.pushes.count >= 2 * Self.pushesMax { state.pushes.removeFirst(Self.pushesMax) }
            state.pushes.append(push)
            let due = state.waiters.filter { $0.value.after + $0.value.count <= state.pushesCount }
            for id in due.keys { state.waiters[id] = nil }
            // List the requests here: the list may be cleared before a waiter's event loop runs.
            let awake = due.values.map { ($0.promise, state.listed(after: $0.after)) }
            return (push, judgement.outcome, awake)
        }
        for (promise, pushes) in awake { promise.succeed(pushes) }
        if let push { self.observe(push) }
        return outcome
    }

    private struct Payload: Decodable {
        struct Members: Decodable {
            struct Name: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }

            let members: MockReview.APSMembers

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Name.self)
                let flag = Name(stringValue: "content-available")
                self.members = MockReview.APSMembers(
                    names: Set(container.allKeys.map(\.stringValue)),
                    isContentAvailable: (try? container.decode(Int.self, forKey: flag)) == 1
                )
            }
        }

        let aps: Members?
    }

    private static func apsMembers(of payload: [UInt8]) -> MockReview.APSMembers {
        (try? JSONReader().decode(Payload.self, from: Data(payload)))?.aps?.members ?? MockReview.APSMembers()
    }

    // MARK: Questions and orders, from any thread.

    /// The script, with its counts.
    package var script: MockScript {
        get { self.state.withLock { $0.script } }
        set { self.state.withLock { $0.script = newValue } }
    }

    /// Changes the script, and keeps the counts of unchanged rules.
    package func changeScript(_ change: (inout MockScript) -> Void) {
        self.state.withLock { change(&$0.script) }
    }

    /// Returns the listed requests after this number.
    package func pushes(after number: Int = 0) -> [MockPush] {
        self.state.withLock { $0.listed(after: number) }
    }

    /// Waits until this many requests arrived after this number, or until the time is over.
    ///
    /// If the list is cleared meanwhile, all later requests count.
    ///
    /// - Returns: the listed requests after the number, however many.
    package func pushes(
        after number: Int,
        count: Int,
        within time: TimeAmount,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<[MockPush]> {
        let promise = eventLoop.makePromise(of: [MockPush].self)
        let (waiter, pushes) = self.state.withLock { state -> (Int?, [MockPush]) in
            guard number + count > state.pushesCount else { return (nil, state.listed(after: number)) }
            state.waitersCount += 1
            state.waiters[state.waitersCount] = Waiter(after: number, count: count, promise: promise)
            return (state.waitersCount, [])
        }
        guard let waiter else {
            promise.succeed(pushes)
            return promise.futureResult
        }
        let timer = eventLoop.scheduleTask(in: time) {
            let late = self.state.withLock { state in
                state.waiters.removeValue(forKey: waiter).map { state.listed(after: $0.after) }
            }
            if let late { promise.succeed(late) }
        }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        return promise.futureResult
    }

    /// Forgets the script, the channels and all requests.
    package func reset() {
        self.state.withLock { state in
            state.script = MockScript()
            state.channels = MockChannels()
        }
        self.forgetPushes()
    }

    /// Forgets all requests; numbers start at 1 again.
    package func forgetPushes() {
        self.state.withLock { state in
            state.pushes = []
            state.pushesCount = 0
            state.review = MockReview()
            for id in state.waiters.keys { state.waiters[id]?.after = 0 }
        }
    }
}

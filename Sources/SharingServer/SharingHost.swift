package import Logging
internal import ServiceLifecycle
package import Sharing
package import SharingEngine

/// Executes what the engine decides: stores, pushes, wakes; holds nothing that a restart would miss.
package actor SharingHost: Service {
    /// The most pushes that wait to be sent; beyond it a push waits for the request's next attempt.
    static let pushQueueMax = 1024
    /// The most pushes under way at a time.
    static let pushesAtOnceMax = 64
    /// The longest the deadline loop sleeps, and so how often it prunes.
    static let napMax: Duration = .seconds(10)

    /// The answer to a request.
    package enum Admission: Sendable {
        /// It is on disk.
        case accepted
        /// It is not let in; the requester is not told why.
        case refused
        /// It is not let in before `until`.
        case tooSoon(until: WallTime)
    }

    private let store: any Store
    private let bus: any Bus
    private let push: any PushSender
    private let policy: Policy
    private let logger: Logger
    private let now: @Sendable () -> WallTime
    private let pushQueue: (stream: AsyncStream<RequestID>, continuation: AsyncStream<RequestID>.Continuation)

    // Guarded by the actor. `nap` is the deadline loop's sleep; `isNapStale` says that a deadline was added since the loop
    // last looked. `pushesUnderWay` keeps a slow push service from getting the same push twice.
    private var nap: Task<Void, Never>?
    private var isNapStale = false
    private var pushesUnderWay: Set<RequestID> = []

    /// Creates a host.
    package init(
        store: any Store,
        bus: any Bus,
        push: any PushSender,
        policy: Policy,
        logger: Logger,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.store = store
        self.bus = bus
        self.push = push
        self.policy = policy
        self.logger = logger
        self.now = now
        self.pushQueue = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.pushQueueMax))
    }

    /// Sends pushes and keeps deadlines until cancelled or shut down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.sendPushes() }
                group.addTask { await self.keepDeadlines() }
            }
        }
    }

    /// Lets a request in, or not.
    package func admit(_ request: Signed<Request>) async throws -> Admission {
        guard let verified = try? request.verified() else { return self.refused(request, "bad signature") }
        let (policy, now) = (self.policy, self.now())
        let admission = try await self.store.admit(request, now: now) { standing in
            RequestLife.requestVerified(verified, standing: standing, policy: policy, now: now)
        }
        switch admission {
        case .known, .decided(.accept):
            break
        case .decided(.refuse(let refusal)):
            return self.refused(request, "\(refusal)")
        case .decided(.tooSoon(let until)):
            self.logger.info("request too soon", metadata: ["request": "\(request.value.id)"])
            return .tooSoon(until: until)
        }
        if case .decided(.accept(_, let effects)) = admission {
            self.logger.info("request accepted", metadata: ["request": "\(request.value.id)"])
            self.perform(effects, for: request.value.id)
        }
        return .accepted
    }

    private func refused(_ request: Signed<Request>, _ reason: String) -> Admission {
        self.logger.info(
            "request refused",
            metadata: ["request": "\(request.value.id)", "reason": "\(reason)"]
        )
        return .refused
    }

    /// Records what a device says on the way.
    ///
    /// - Returns: false when the sharer has no such request.
    package func report(_ report: Verified<DeviceReport>) async throws -> Bool {
        let (report, now) = (report.value, self.now())
        guard try await self.isSharer(report.sharer, of: report.request) else { return false }
        return try await self.apply(to: report.request) { $0.deviceReported(report.progress, now: now) } != nil
    }

    /// Records a device's answer.
    ///
    /// - Returns: what the request became and what else waits for the device; nil when the sharer has no such request.
    package func answer(
        _ answer: Verified<SealedAnswer>,
        bytes: [UInt8]
    ) async throws -> (state: RequestState.Kind, pending: [Signed<Request>])? {
        let (answer, now) = (answer.value, self.now())
        guard try await self.isSharer(answer.sharer, of: answer.request),
            let record = try await self.apply(to: answer.request, answer: bytes, { $0.answerReceived(now: now) }),
            let state = record.life.history.last
        else { return nil }
        return (state.kind, try await self.store.pending(for: answer.sharer).map(\.request))
    }

    private func isSharer(_ sharer: PublicIdentity, of id: RequestID) async throws -> Bool {
        try await self.store.request(id)?.request.value.grant.value.sharer == sharer
    }

    private func apply(
        to id: RequestID,
        answer: [UInt8]? = nil,
        token: [UInt8]? = nil,
        _ input: @escaping @Sendable (inout RequestLife) -> [RequestLife.Effect]
    ) async throws -> RequestRecord? {
        guard let (record, effects) = try await self.store.apply(to: id, answer: answer, token: token, input) else {
            return nil
        }
        self.perform(effects, for: id)
        return record
    }

    /// Executes effects in order; synchronous, so that no other input comes between two of them.
    private func perform(_ effects: [RequestLife.Effect], for id: RequestID) {
        for effect in effects {
            switch effect {
            case .sendPush:
                self.pushQueue.continuation.yield(id)
            case .announce(let state):
                self.logger.debug("request state", metadata: ["request": "\(id)", "state": "\(state.kind.rawValue)"])
                self.bus.publish(id)
            case .storeAnswer, .pauseDevice:
                break  // The store did it, in the transaction that wrote the state.
            }
        }
        // Whatever happened may have brought an earlier deadline.
        self.isNapStale = true
        self.nap?.cancel()
    }

    private func sendPushes() async {
        await withTaskGroup(of: Void.self) { group in
            var count = 0
            for await id in self.pushQueue.stream {
                if count == Self.pushesAtOnceMax {
                    await group.next()
                    count -= 1
                }
                count += 1
                group.addTask { await self.sendPush(for: id) }
            }
        }
    }

    private func sendPush(for id: RequestID) async {
        guard self.pushesUnderWay.insert(id).inserted else { return }
        defer { self.pushesUnderWay.remove(id) }
        do {
            guard let record = try await self.store.request(id), case .accepted = record.life.state else { return }
            let device = try await self.store.device(of: record.request.value.grant.value.sharer)
            let rejection = await self.send(record, to: device)
            let now = self.now()
            _ = try await self.apply(to: id, token: device?.token) { life in
                rejection.map { life.pushRejected($0, now: now) } ?? life.pushAccepted(now: now)
            }
        } catch {
            // The request is on disk: its next attempt or its deadline goes on from there.
            self.logger.error("store failed", metadata: ["request": "\(id)", "error": "\(type(of: error))"])
        }
    }

    private func send(_ record: RequestRecord, to device: (token: [UInt8], topic: String)?) async -> PushRejection? {
        guard let device else { return .unregistered }
        do {
            try await self.push.send(
                token: device.token,
                topic: device.topic,
                payload: PushPayload.json(of: record.request),
                priority: 10,
                expiration: record.request.value.expires
            )
            return nil
        } catch let rejection as PushRejection {
            self.logger.warning(
                "push rejected",
                metadata: ["request": "\(record.request.value.id)", "reason": "\(rejection)"]
            )
            return rejection
        } catch {
            self.logger.warning(
                "push failed",
                metadata: ["request": "\(record.request.value.id)", "error": "\(type(of: error))"]
            )
            return .temporary("the push service could not be reached")
        }
    }

    private func keepDeadlines() async {
        while !Task.isCancelled {
            self.isNapStale = false
            var nap = Self.napMax
            do {
                let now = self.now()
                let due = try await self.store.due(now: now, max: 1000)
                for id in due {
                    _ = try await self.apply(to: id) { $0.deadlineReached(now: now) }
                }
                if due.isEmpty { try await self.store.prune(now: now) }
                if let next = try await self.store.nextDeadline() {
                    nap = min(nap, max(.zero, next.duration(since: self.now())))
                }
            } catch {
                self.logger.error("store failed", metadata: ["error": "\(type(of: error))"])
            }
            guard !self.isNapStale else { continue }
            let task = Task { _ = try? await Task.sleep(for: nap) }
            self.nap = task
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The side that shares: approves, revokes, and answers from its device.
public struct Sharer: Sendable {
    /// How long a fix may take before the requester is told that the device is locating.
    public static let quietPeriod: Duration = .milliseconds(300)

    /// The files it works on.
    public let home: SharingHome
    private let server: ServerConnection
    private let sealing: any Sealing
    private let policy: Policy

    /// Creates a sharer.
    ///
    /// - Parameters:
    ///   - home: the files to work on.
    ///   - sealing: how answers are sealed.
    ///   - policy: the numbers by which the device checks requests.
    /// - Throws: ``SharingError`` when the trust roots cannot be read.
    public init(home: SharingHome, sealing: any Sealing = HPKESealing(), policy: Policy = Policy()) throws {
        self.home = home
        self.server = try ServerConnection(settings: home.settings)
        self.sealing = sealing
        self.policy = policy
    }

    /// Tells the server where the device takes location pushes.
    ///
    /// - Parameters:
    ///   - deviceToken: as `startMonitoringLocationPushes` gave it.
    ///   - topic: the bundle identifier of the app, without `.location-query`.
    /// - Throws: ``SharingError`` when the server cannot be reached or says no.
    public func register(deviceToken: Data, topic: String) async throws {
        try await self.post(
            "/v1/devices",
            try Registration(
                sharer: self.home.identity.publicIdentity,
                token: [UInt8](deviceToken),
                topic: topic,
                issued: self.home.nextRegistrationTime(now: .now)
            )
        )
    }

    /// Tells the server that the device takes no location pushes for now; requesters learn that sharing is paused.
    ///
    /// - Parameter topic: the bundle identifier of the app, without `.location-query`.
    /// - Throws: ``SharingError`` when the server cannot be reached or says no.
    public func pause(topic: String) async throws {
        try await self.register(deviceToken: Data(), topic: topic)
    }

    /// Allows a requester to ask, and keeps a copy.
    ///
    /// - Parameters:
    ///   - requester: who may ask; compare their safety number first.
    ///   - precision: the most exact answer allowed.
    ///   - duration: for how long, from now.
    ///   - interval: the least time between two requests; whole seconds.
    /// - Returns: the grant, to be handed to the requester.
    /// - Throws: ``SharingError`` when it would allow nothing, or cannot be kept.
    public func approve(
        requester: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration = .zero
    ) throws -> Signed<Grant> {
        guard duration > .zero, interval >= .zero, interval <= duration else {
            throw SharingError(
                .badText,
                "a grant for \(duration) with a request every \(interval) allows nothing: "
                    + "the duration must be longer than zero and than the interval; give a longer one"
            )
        }
        var generator = SystemRandomNumberGenerator()
        let now = WallTime.now
        let grant = try self.home.identity.sign(
            Grant(
                id: GrantID(using: &generator),
                sharer: self.home.identity.publicIdentity,
                requester: requester,
                precision: precision,
                notBefore: now,
                notAfter: now.advanced(by: duration),
                intervalMin: UInt32(clamping: interval.components.seconds)
            )
        )
        try self.home.record(grant)
        return grant
    }

    /// Takes a grant back: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` with the code `notForUs` when the grant is another's. With any other code the device
    ///   refuses already, but the server does not know yet: call again.
    public func revoke(_ grant: Signed<Grant>) async throws {
        guard grant.value.sharer == self.home.identity.publicIdentity else {
            throw SharingError(
                .notForUs,
                "the grant \(grant.value.id) was issued by someone else: only its sharer can revoke it; "
                    + "use the home that issued it"
            )
        }
        let revocation = Revocation(of: grant.value)
        try self.home.record(self.home.identity.sign(revocation))
        try await self.post("/v1/revocations", revocation)
    }

    /// Reads a request out of a location push, checks it, and remembers it.
    ///
    /// - Parameters:
    ///   - pushPayload: as the extension got it.
    ///   - pushAge: how long ago the device received the push; zero when unknown.
    /// - Returns: the request, with the verdict on it.
    /// - Throws: ``SharingError`` when it must not be answered at all: malformed, forged, another's, or seen before.
    public func receive(pushPayload: [String: Any], pushAge: Duration = .zero) throws -> IncomingRequest {
        let started = ContinuousClock.now
        return try self.receive(
            PushPayload.request(in: pushPayload),
            received: started.advanced(by: .zero - pushAge),
            started: started
        )
    }

    private func receive(
        _ signed: Signed<Request>,
        received: ContinuousClock.Instant,
        started: ContinuousClock.Instant
    ) throws -> IncomingRequest {
        let request = try signed.verified().value
        guard request.grant.value.sharer == self.home.identity.publicIdentity else {
            throw SharingError(
                .notForUs,
                "the request \(request.id) is for another sharer: its grant must be ours; "
                    + "register this device again"
            )
        }
        guard try self.home.markSeen(request.id, policy: self.policy) else {
            throw SharingError(
                .replayed,
                "the request \(request.id) was received before: a request is answered once; "
                    + "there is nothing left to do"
            )
        }
        let refusal = self.refusal(of: request)
        return IncomingRequest(
            signed,
            verdict: refusal.map { .mustRefuse($0) } ?? .mayAnswer,
            received: received,
            started: started
        )
    }

    /// Tells the requester how far the device is.
    public func report(_ progress: DeviceProgress, for incoming: IncomingRequest) async throws {
        let report = DeviceReport(
            request: incoming.request.id,
            sharer: self.home.identity.publicIdentity,
            progress: progress
        )
        try await self.post("/v1/requests/\(incoming.request.id)/progress", report)
    }

    /// Seals and posts an answer, after the grant was checked once more.
    ///
    /// - Returns: the other requests that wait for this device, to be answered too.
    public func answer(_ incoming: IncomingRequest, _ content: Answer.Content) async throws -> [IncomingRequest] {
        let fixed = ContinuousClock.now
        let content = try self.allowed(content, for: incoming)
        let request = incoming.request
        let sealed = try self.sealing.seal(to: request.publicKey, suite: request.suite, info: incoming.info) {
            let timings = DeviceTimings(
                started: incoming.started - incoming.received,
                fix: fixed - incoming.received,
                sealed: ContinuousClock.now - incoming.received
            )
            return Answer(content: content, timings: timings).paddedBytes
        }
        let answer = SealedAnswer(request: request.id, sharer: self.home.identity.publicIdentity, sealed: sealed)
        let response = try await self.post("/v1/requests/\(request.id)/answer", answer)
        let delivery = try JSONDecoder().decode(Wire.Delivery.self, from: Data(response))
        let now = ContinuousClock.now
        return delivery.pending.compactMap { text in
            // What cannot be received here (seen before, malformed) is left to its own push or its deadline.
            guard let bytes = Base64URL.bytes(of: text), let signed = try? Signed<Request>(bytes: bytes) else {
                return nil
            }
            return try? self.receive(signed, received: now, started: now)
        }
    }

    /// Answers a request, and those that wait behind it, with one measurement.
    ///
    /// The requester is told that the device is locating only when that takes longer than ``quietPeriod``; otherwise the
    /// answer's own timings tell it, and the whole exchange is one connection and one request.
    ///
    /// - Parameters:
    ///   - incoming: the request that the push carried.
    ///   - measure: gets a fix; what it throws becomes the reason why there is none.
    /// - Throws: ``SharingError`` when an answer could not be delivered.
    public func respond(
        to incoming: IncomingRequest,
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async throws {
        let content = await self.content(for: incoming, measure: measure)
        var waiting = [incoming]
        // Each round answers one and learns of at most as many as the server keeps for a device.
        while let next = waiting.popLast() {
            waiting += try await self.answer(next, content)
        }
    }

    private func content(
        for incoming: IncomingRequest,
        measure: @escaping @Sendable () async throws -> SharedFix
    ) async -> Answer.Content {
        if case .mustRefuse(let refusal) = incoming.verdict { return .refusal(refusal.reason) }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard (try? await Task.sleep(for: Self.quietPeriod)) != nil else { return }
                // The answer follows; a report that is lost costs the requester a line of the timeline.
                try? await self.report(.locating, for: incoming)
            }
            defer { group.cancelAll() }
            do {
                return .fix(try await measure())
            } catch {
                return .unavailable("The device has no position: \(error)")
            }
        }
    }

    private func refusal(of request: Request) -> Refusal? {
        request.refusal(isRevoked: self.home.isRevoked(request.grant.value.id), policy: self.policy, now: .now)
    }

    private func allowed(_ content: Answer.Content, for incoming: IncomingRequest) throws -> Answer.Content {
        let verdict: Refusal? = if case .mustRefuse(let refusal) = incoming.verdict { refusal } else { nil }
        return try incoming.request.permitted(content, refusal: verdict ?? self.refusal(of: incoming.request))
    }

    @discardableResult
    private func post(_ path: String, _ value: some Signable) async throws -> [UInt8] {
        let response = try await self.server.post(path, self.home.identity.sign(value).bytes)
        guard (200..<300).contains(response.status) else { throw self.server.rejected(response) }
        return response.body
    }
}

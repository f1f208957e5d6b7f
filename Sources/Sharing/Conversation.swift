#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One request from its making to its final state.
struct Conversation: Sendable {
    let home: SharingHome
    let server: ServerConnection
    let sealing: any Sealing
    let grant: Signed<Grant>
    let precision: Precision
    let suite: Suite
    let updates: AsyncStream<RequestUpdate>.Continuation
    private let begun = ContinuousClock.now

    init(
        home: SharingHome,
        server: ServerConnection,
        sealing: any Sealing,
        grant: Signed<Grant>,
        precision: Precision,
        suite: Suite,
        updates: AsyncStream<RequestUpdate>.Continuation
    ) {
        self.home = home
        self.server = server
        self.sealing = sealing
        self.grant = grant
        self.precision = precision
        self.suite = suite
        self.updates = updates
    }

    /// Asks and follows; whatever happens, the final state is returned, at the deadline at the latest.
    func run(deadline: Duration) async -> RequestUpdate {
        await withTaskGroup(of: RequestUpdate?.self) { group in
            group.addTask { await self.converse() }
            group.addTask {
                try? await Task.sleep(for: deadline)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
                ?? self.update(.expired, "No final state came from \(self.home.settings.server) within \(deadline).")
        }
    }

    private func converse() async -> RequestUpdate {
        do {
            let (signed, key) = try self.makeRequest()
            let response = try await self.server.post("/v1/requests", signed.bytes)
            switch response.status {
            case 202: return try await self.follow(signed, key)
            case 403: return self.update(.refused, self.server.rejected(response).message)
            case 429:
                let rejected = try JSONDecoder().decode(Wire.Rejected.self, from: Data(response.body))
                return self.update(.tooSoon, rejected.error, at: rejected.until.map { WallTime(milliseconds: $0) })
            default: return self.update(.failed, self.server.rejected(response).message)
            }
        } catch let error as SharingError {
            return self.update(.failed, error.message)
        } catch {
            return self.update(.failed, "\(error)")
        }
    }

    private func makeRequest() throws -> (Signed<Request>, RequestKey) {
        // Whether this home may use the grant is the server's and the device's to say, so that there is one rule.
        let key = try self.sealing.makeKey(suite: self.suite)
        var generator = SystemRandomNumberGenerator()
        let now = WallTime.now
        let request = Request(
            id: RequestID(using: &generator),
            grant: self.grant,
            precision: self.precision,
            suite: self.suite,
            publicKey: key.publicKey,
            issued: now,
            expires: now.advanced(by: Requester.requestLifetime)
        )
        return (try self.home.identity.sign(request), key)
    }

    private func follow(_ signed: Signed<Request>, _ key: RequestKey) async throws -> RequestUpdate {
        let permit = try self.home.identity.sign(
            ReadPermit(request: signed.value.id, requester: self.home.identity.publicIdentity)
        )
        let authorization = "Whereabouts \(Base64URL.text(of: permit.bytes))"
        var told: Set<RequestState.Kind> = []
        var final: RequestUpdate?
        // Ends with a final state, or with the deadline of `run`, which cancels this task.
        while !Task.isCancelled {
            do {
                let path = "/v1/requests/\(signed.value.id)/events"
                let status = try await self.server.events(path, authorization: authorization) { json in
                    let event = try JSONDecoder().decode(Wire.State.self, from: Data(json))
                    guard let state = event.state, told.insert(state.kind).inserted else { return }
                    if state.kind.isFinal {
                        final = try self.final(state, answer: event.answer, signed, key)
                    } else {
                        self.updates.yield(RequestUpdate(state: state, elapsed: self.elapsed, answer: nil))
                    }
                }
                guard status == 200 else {
                    throw SharingError(.refused, "The server does not show the request's states (status \(status)).")
                }
            } catch let error as SharingError where error.code != .network {
                throw error
            } catch {
                // A lost connection loses no state: the server tells all of them again.
            }
            if let final { return final }
            try await Task.sleep(for: .milliseconds(200))
        }
        throw CancellationError()
    }

    private func final(
        _ state: RequestState,
        answer: String?,
        _ signed: Signed<Request>,
        _ key: RequestKey
    ) throws -> RequestUpdate {
        guard state.kind == .answered else { return RequestUpdate(state: state, elapsed: self.elapsed, answer: nil) }
        guard let answer, let bytes = Base64URL.bytes(of: answer) else {
            throw SharingError(.badBytes, "The server says answered but sends no answer; ask again.")
        }
        let sealed = try Signed<SealedAnswer>(bytes: bytes).verified().value
        guard sealed.sharer == self.grant.value.sharer, sealed.request == signed.value.id else {
            throw SharingError(.badSignature, "The answer is not from the sharer, or not to this request; ask again.")
        }
        let opened = try Answer(paddedBytes: self.sealing.open(sealed.sealed, with: key, info: signed.info))
        let (kind, reason): (RequestState.Kind, String) =
            switch opened.content {
            case .fix: (.answered, state.reason)
            case .refusal(let reason): (.refused, reason)
            case .unavailable(let reason): (.failed, reason)
            }
        return RequestUpdate(
            state: RequestState(kind, at: state.time, reason: reason),
            elapsed: self.elapsed,
            answer: opened
        )
    }

    private var elapsed: Duration { ContinuousClock.now - self.begun }

    private func update(_ kind: RequestState.Kind, _ reason: String, at time: WallTime? = nil) -> RequestUpdate {
        RequestUpdate(state: RequestState(kind, at: time ?? .now, reason: reason), elapsed: self.elapsed, answer: nil)
    }
}

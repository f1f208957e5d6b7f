internal import Testing
package import WhereaboutsSharing
package import WhereaboutsSharingServer
package import WhereaboutsVocabulary

extension Store {
    /// Runs changes that are on disk when this returns; by default, they race no other transaction.
    package func transaction<Value: Sendable>(
        of key: StoreKey = .due,
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) async throws -> Value {
        try await self.transaction(of: key, surviving: .powerFailure, body)
    }
}

/// A store, a sharer and a requester, at one moment.
package struct RequestStoreBench: Acquaintance {
    package let store: any Store
    private let server: Server
    package let sharer: Identity
    package let requester: Identity

    package init(_ store: any Store, policy: SharingPolicy = SharingPolicy()) throws {
        self.store = store
        self.server = Server(policy: policy)
        (self.sharer, self.requester) = try Self.people()
    }

    /// Accepts or refuses the request, as the server does.
    @discardableResult
    package func admit(_ request: Signed<Request>, at seconds: Int = 0) async throws -> Server.OnRequest {
        let (verified, server, now) = (try request.verified(), self.server, self.after(seconds))
        return try await self.store.transaction { try server.requestReceived(verified, $0, now: now).reply }
    }

    /// Stores an accepted request with a separate push, even if other requests wait.
    package func insert(_ request: Signed<Request>, at seconds: Int) async throws {
        let policy = SharingPolicy()
        let now = self.after(seconds)
        let life = RequestLife(
            restoring: .accepted(
                nextPush: now.advanced(by: policy.pushRetry),
                giveUp: now.advanced(by: policy.allowance)
            ),
            history: [RequestState(.accepted, at: now, reason: "The server accepted the request.")],
            expires: request.value.expires,
            policy: policy
        )
        try await self.store.transaction { try $0.insert(request, life) }
    }

    /// Passes an input to the life of a request and stores the result, as the server does.
    @discardableResult
    package func change(
        _ request: Signed<Request>,
        _ input: @escaping @Sendable (inout RequestLife) -> [RequestLife.Effect]
    ) async throws -> RequestLife {
        try await self.store.transaction { store in
            var life = try #require(try store.request(request.value.id)).life
            for case .storeAnswer(let answer) in input(&life) { try store.put(answer: answer, to: request.value.id) }
            try store.put(life, of: request.value.id)
            return life
        }
    }

    package func record(_ request: Signed<Request>) async throws -> RequestRecord? {
        try await self.store.read { try $0.request(request.value.id) }
    }

    package func device(_ number: UInt8, chosen: Int) throws -> RegisteredDevice {
        try RegisteredDevice(
            id: DeviceID(high: 0, low: UInt64(number)),
            chosen: self.after(chosen),
            // The base point of X25519 is a valid public key for sealing.
            pushKey: [9] + Array(repeating: 0, count: RegisteredDevice.pushKeyByteCount - 1),
            sealedName: Array(repeating: number, count: RegisteredDevice.sealedNameByteCount)
        )
    }

    @discardableResult
    package func register(
        token: [UInt8] = [1],
        issued: Int = 0,
        device: RegisteredDevice? = nil
    ) async throws -> Registration {
        let registration = try Registration(
            sharer: self.sharer.publicIdentity,
            token: token,
            topic: "a",
            issued: self.after(issued),
            device: device ?? self.device(0, chosen: 0)
        )
        let (verified, server, now) = (try self.sharer.sign(registration).verified(), self.server, self.after(issued))
        let action = try await self.store.transaction { try server.deviceRegistered(verified, $0, now: now).reply }
        #expect(action == .confirm)
        return registration
    }

    package func revoke(_ revocation: Revocation) async throws -> Server.OnRevoked {
        let (verified, server, now) = (Verified(Signed(value: revocation, signature: [])), self.server, self.now)
        return try await self.store.transaction { try server.grantRevoked(verified, $0, now: now) }
    }

    package func answer(_ request: Signed<Request>, _ bytes: [UInt8] = [1]) async throws {
        let now = self.now
        try await self.change(request) { $0.answerReceived(bytes, now: now) }
    }

    /// Prunes until nothing is left to be pruned, in portions of one.
    package func prune(at seconds: Int) async throws {
        let now = self.after(seconds)
        while try await self.store.transaction({ try $0.prune(now: now, max: 1) }) {}
    }

    package func due(at seconds: Int, max: Int = 10) async throws -> [RequestID] {
        let now = self.after(seconds)
        return try await self.store.read { try $0.due(now: now, max: max) }
    }

    package func nextDeadline() async throws -> WallTime? { try await self.store.read { try $0.nextDeadline() } }

    package func token() async throws -> [UInt8]? {
        try await self.store.read { [sharer = self.sharer.publicIdentity] in try $0.registration(of: sharer)?.token }
    }

    package func pending() async throws -> [Signed<Request>] {
        try await self.store.read { [sharer = self.sharer.publicIdentity] in
            try $0.pending(for: sharer).map(\.request)
        }
    }

    /// The records on which the server's decision about a request depends.
    package func precedents(of request: Signed<Request>, at seconds: Int = 0) async throws -> PriorRecords {
        let (verified, server, now) = (try request.verified(), self.server, self.after(seconds))
        return try await self.store.read { try server.precedents(of: verified, $0, now: now) }
    }
}

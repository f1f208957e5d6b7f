internal import WhereaboutsAPNS
package import WhereaboutsAPNSClient
package import WhereaboutsSharingEngine

/// Sends pushes through APNs, or through a push gateway that speaks as APNs does.
package struct APNSPushSender: PushSender {
    private let client: APNSClient

    /// Creates a sender; the client is the caller's to shut down.
    package init(client: APNSClient) {
        self.client = client
    }

    package func send(_ push: RequestPush, payload: [UInt8]) async throws(PushRejection) {
        // It is the server's own, and an object.
        guard let payload = try? PushPayload(json: payload) else { throw PushRejection(.payloadEmpty) }
        let push = Push(
            .location,
            token: push.token,
            bundleIdentifier: push.topic,
            payload: payload,
            priority: push.priority,
            expiration: push.expiration
        )
        switch await self.client.send(push) {
        case .accepted: return
        case .rejected(let rejected): throw PushRejection(rejected.reason, relay: rejected.relay)
        // Cancelled, too, as at the end of the server: the request goes on from the store.
        case .failed(let error): throw PushRejection(error.reason)
        }
    }
}

internal import WhereaboutsAPNS
package import WhereaboutsAPNSClient
package import WhereaboutsSharingEngine

/// Sends pushes through APNs, or through a push gateway with the same protocol.
package struct APNSPushSender: PushSender {
    private let client: APNSClient

    /// Creates a sender; the caller shuts the client down.
    package init(client: APNSClient) {
        self.client = client
    }

    package func send(_ push: any DevicePush, payload: [UInt8]) async throws(PushRejection) {
        // This cannot happen: the server made the payload, which is a JSON object.
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
        // This includes a cancellation when the server shuts down: the request continues from the store.
        case .failed(let error): throw PushRejection(error.reason)
        }
    }
}

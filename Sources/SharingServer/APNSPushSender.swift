package import APNSClient
package import SharingEngine

/// Sends pushes through APNs, or through a push gateway that speaks as APNs does.
package struct APNSPushSender: PushSender {
    private let client: APNSClient

    /// Creates a sender; the client is the caller's to shut down.
    package init(client: APNSClient) {
        self.client = client
    }

    package func send(_ push: RequestPush, payload: [UInt8]) async throws(PushRejection) {
        let push = LocationPush(
            token: push.token,
            bundleIdentifier: push.topic,
            payload: payload,
            priority: push.priority,
            expiration: push.expiration
        )
        do {
            _ = try await self.client.send(push)
        } catch let error as APNSError {
            throw PushRejection(error.reason)
        } catch {
            // Cancelled, as at the end of the server: the request goes on from the store.
            throw PushRejection(nil)
        }
    }
}

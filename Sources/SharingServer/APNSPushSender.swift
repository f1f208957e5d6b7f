internal import APNS
package import APNSClient
package import SharingEngine

/// Sends pushes through APNs, or through a push gateway that speaks as APNs does.
package struct APNSPushSender: PushSender {
    private let client: APNSClient

    /// Creates a sender; the client is the caller's to shut down.
    package init(client: APNSClient) {
        self.client = client
    }

    package func send(
        token: [UInt8],
        topic: String,
        payload: [UInt8],
        priority: Int,
        expiration: WallTime
    ) async throws {
        guard let token = DeviceToken(bytes: token), let priority = Priority(rawValue: priority) else {
            throw PushRejection.unregistered
        }
        let push = LocationPush(
            token: token,
            bundleIdentifier: topic,
            payload: payload,
            priority: priority,
            expiration: .until(expiration.milliseconds / 1000)
        )
        do {
            _ = try await self.client.send(push)
        } catch let error as APNSError {
            throw PushRejection(error.reason)
        }
    }
}

package import SharingEngine

/// Sends location pushes; the way to APNs, to a push gateway, or to a test's double.
package protocol PushSender: Sendable {
    /// Sends one push and returns when the push service took it.
    ///
    /// - Parameters:
    ///   - token: the device token.
    ///   - topic: the bundle identifier of the app, without `.location-query`.
    ///   - payload: JSON of at most 4,096 bytes.
    ///   - priority: 10 when a person waits, 5 for timers.
    ///   - expiration: when the push is worth nothing any more.
    /// - Throws: ``PushRejection``; any other error counts as temporary.
    func send(token: [UInt8], topic: String, payload: [UInt8], priority: Int, expiration: WallTime) async throws
}

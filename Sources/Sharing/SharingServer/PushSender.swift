package import WhereaboutsSharingEngine

/// Sends location pushes: to APNs, to a push gateway, or to a test double.
package protocol PushSender: Sendable {
    /// Sends one push and returns when the push service accepted it.
    ///
    /// - Parameters:
    ///   - push: the push, with its device, its priority and its expiration.
    ///   - payload: JSON of at most `Limits.payloadBytesMax` bytes.
    /// - Throws: the reason why the push service did not accept the push.
    func send(_ push: any DevicePush, payload: [UInt8]) async throws(PushRejection)
}

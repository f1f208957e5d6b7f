package import WhereaboutsSharingEngine

/// Sends location pushes: to APNs, to a push gateway, or to a test double.
package protocol PushSender: Sendable {
    /// Sends one push and returns when the push service accepted it.
    ///
    /// - Parameters:
    ///   - push: where it goes, how urgent it is, and until when it is worth anything.
    ///   - payload: JSON of at most `Limits.payloadBytesMax` bytes.
    /// - Throws: why it was not taken.
    func send(_ push: RequestPush, payload: [UInt8]) async throws(PushRejection)
}

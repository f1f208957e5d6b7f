package import WhereaboutsSharingEngine

/// Sends location pushes; the way to APNs, to a push gateway, or to a test's double.
package protocol PushSender: Sendable {
    /// Sends one push and returns when the push service took it.
    ///
    /// - Parameters:
    ///   - push: where it goes, how urgent it is, and until when it is worth anything.
    ///   - payload: JSON of at most `Limits.payloadBytesMax` bytes.
    /// - Throws: why it was not taken.
    func send(_ push: RequestPush, payload: [UInt8]) async throws(PushRejection)
}

internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A device's connection, for the host; each closure returns at once, and does nothing after the end of the
/// connection.
struct DeviceLink: Sendable {
    /// Identifies the connection for the engine.
    let id: LinkID
    let send: @Sendable (GatewayMessage) -> Void
    /// Reports that a request without an answer is finished.
    let finish: @Sendable () -> Void
    /// Reports the trust that the device has earned.
    let trust: @Sendable (ConnectionTrust) -> Void
    /// Ends the connection with a reason.
    let close: @Sendable (String) -> Void
}

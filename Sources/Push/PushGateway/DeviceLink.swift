internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A device's connection, as the host sees it; each closure returns at once, and does nothing after the connection's
/// end.
struct DeviceLink: Sendable {
    /// Names the connection to the engine.
    let id: LinkID
    let send: @Sendable (GatewayMessage) -> Void
    /// Reports that a request without an answer is finished.
    let finish: @Sendable () -> Void
    /// Reports the trust that its device has earned.
    let trust: @Sendable (ConnectionTrust) -> Void
    /// Ends the connection with a reason.
    let close: @Sendable (String) -> Void
}

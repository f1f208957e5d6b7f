internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// One connection of a device, as the host sees it; each closure returns at once, and does nothing when it is gone.
struct DeviceLink: Sendable {
    /// Names the connection to the engine.
    let id: LinkID
    let send: @Sendable (GatewayMessage) -> Void
    /// Tells it that a request without an answer is finished.
    let finish: @Sendable () -> Void
    /// Tells it how much its device has shown.
    let trust: @Sendable (ConnectionTrust) -> Void
    /// Ends the connection with a reason.
    let close: @Sendable (String) -> Void
}

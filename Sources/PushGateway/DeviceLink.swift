internal import PushEngine

/// One connection of a device, as the host sees it.
struct DeviceLink: Sendable {
    /// Names the connection to the engine.
    let id: LinkID
    /// Sends a message; returns at once, and does nothing when the connection is gone.
    let send: @Sendable (GatewayMessage) -> Void
    /// Ends the connection with a reason.
    let close: @Sendable (String) -> Void
}

internal import PushEngine
internal import PushLinkMessages

/// One open, proven connection of a device, as the host sees it.
struct DeviceLink: Sendable {
    /// Tells this connection from earlier and later ones of the device.
    let id: LinkID
    /// The device.
    let device: DeviceKey
    /// Sends a frame; returns at once, and does nothing when the connection is gone.
    let send: @Sendable (Whereabouts_Pushlink_V1_GatewayFrame.OneOf_Body) -> Void
    /// Ends the connection with a reason.
    let close: @Sendable (String) -> Void
}

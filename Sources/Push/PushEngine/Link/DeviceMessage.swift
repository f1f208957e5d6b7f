/// A message from a device to its gateway.
public enum DeviceMessage: Sendable, Hashable {
    /// The answer to the challenge.
    case proof(LinkProof)
    /// A request to the gateway, once the device has proven its key.
    case request(Gateway.DeviceRequest)
    /// A keepalive, which the gateway answers with the same number.
    case ping(UInt64)
}

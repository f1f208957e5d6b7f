/// A sharer's message that removes a device: the server forgets it, and refuses its registrations.
package struct DeviceRemoval: Sendable, Hashable {
    package let device: DeviceID
    /// The owner of the device.
    package let sharer: PublicIdentity

    package init(device: DeviceID, sharer: PublicIdentity) {
        self.device = device
        self.sharer = sharer
    }
}

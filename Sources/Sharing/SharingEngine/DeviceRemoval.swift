/// A sharer's statement that a device is theirs no longer: the server forgets it, and takes no registration of it.
package struct DeviceRemoval: Sendable, Hashable {
    package let device: DeviceID
    /// The person whose device it was.
    package let sharer: PublicIdentity

    package init(device: DeviceID, sharer: PublicIdentity) {
        self.device = device
        self.sharer = sharer
    }
}

/// A sharer's device's statement that it is on the way to an answer.
package struct DeviceReport: Sendable, Hashable {
    /// The request it is about.
    package let request: RequestID
    /// The person whose device says it.
    package let sharer: PublicIdentity
    /// How far the device is.
    package let progress: DeviceProgress

    package init(request: RequestID, sharer: PublicIdentity, progress: DeviceProgress) {
        self.request = request
        self.sharer = sharer
        self.progress = progress
    }
}

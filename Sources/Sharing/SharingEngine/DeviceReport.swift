/// A sharer's device's progress report about a request.
package struct DeviceReport: Sendable, Hashable {
    /// The request that the report is about.
    package let request: RequestID
    /// The owner of the device.
    package let sharer: PublicIdentity
    /// The progress of the device.
    package let progress: DeviceProgress

    package init(request: RequestID, sharer: PublicIdentity, progress: DeviceProgress) {
        self.request = request
        self.sharer = sharer
        self.progress = progress
    }
}

/// A sharer's device's statement that it is on the way to an answer.
package struct DeviceReport: Signable {
    package static var domain: String { "whereabouts/progress/v1" }

    /// The request it is about.
    package let request: RequestID
    /// Whose device says it.
    package let sharer: PublicIdentity
    /// What it says.
    package let progress: DeviceProgress

    /// Creates the statement.
    package init(request: RequestID, sharer: PublicIdentity, progress: DeviceProgress) {
        self.request = request
        self.sharer = sharer
        self.progress = progress
    }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.request.bytes)
        writer.fixed(self.sharer.bytes)
        writer.integer(self.progress.rawValue)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            request: try reader.value(RequestID.byteCount, RequestID.init(bytes:)),
            sharer: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            progress: try reader.enumeration()
        )
    }
}

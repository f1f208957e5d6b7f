internal import WhereaboutsVocabulary

extension DeviceReport: Signable {
    package static var domain: String { "whereabouts/progress/v1" }

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

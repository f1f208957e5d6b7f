extension DevicesPermit: Signable {
    package static var domain: String { "whereabouts/devices/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.sharer.bytes)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(sharer: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)))
    }
}

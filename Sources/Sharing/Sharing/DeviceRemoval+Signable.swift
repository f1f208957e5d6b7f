internal import WhereaboutsVocabulary

extension DeviceRemoval: Signable {
    package static var domain: String { "whereabouts/device-removal/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.device.bytes)
        writer.fixed(self.sharer.bytes)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            device: try reader.value(DeviceID.byteCount, DeviceID.init(bytes:)),
            sharer: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        )
    }
}

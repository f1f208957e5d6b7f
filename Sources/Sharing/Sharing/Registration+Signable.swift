internal import WhereaboutsVocabulary

extension Registration: Signable {
    package static var domain: String { "whereabouts/registration/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func verifyParts() throws {
        // Reject a bad key now: no push could be sealed to it, and every request would fail later.
        try RecipientKey.check(self.device.pushKey, suite: SealedPush.suite)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.sharer.bytes)
        writer.integer(self.issued.milliseconds)
        writer.fixed(self.device.id.bytes)
        writer.integer(self.device.chosen.milliseconds)
        writer.fixed(self.device.pushKey)
        writer.fixed(self.device.sealedName)
        writer.counted(self.token)
        writer.counted(Array(self.topic.utf8))
    }

    package init(from reader: inout ByteReader) throws {
        let sharer = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let issued = try reader.time()
        let device = try Self.device(from: &reader)
        let token = try reader.counted()
        let utf8 = try reader.counted()
        guard let topic = String(validating: utf8, as: UTF8.self) else { throw reader.error("the topic is not UTF-8") }
        try self.init(sharer: sharer, token: token, topic: topic, issued: issued, device: device)
    }

    private static func device(from reader: inout ByteReader) throws -> RegisteredDevice {
        try RegisteredDevice(
            id: reader.value(DeviceID.byteCount, DeviceID.init(bytes:)),
            chosen: reader.time(),
            pushKey: reader.fixed(RegisteredDevice.pushKeyByteCount),
            sealedName: reader.fixed(RegisteredDevice.sealedNameByteCount)
        )
    }
}

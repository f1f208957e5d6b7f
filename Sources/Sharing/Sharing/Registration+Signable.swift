internal import WhereaboutsVocabulary

extension Registration: Signable {
    /// The byte after the time in a statement of version 2; in one of version 1 the token's count begins there, which is below 256.
    private static let second: UInt8 = 2

    package static var domain: String { "whereabouts/registration/v1" }

    package var domain: String { self.device == nil ? Self.domain : "whereabouts/registration/v2" }

    package var signer: PublicIdentity { self.sharer }

    package func verifyParts() throws {
        // At the door: a push that cannot be sealed would be none, for everybody who asks.
        if let device { try RecipientKey.check(device.pushKey, suite: SealedPush.suite) }
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.sharer.bytes)
        writer.integer(self.issued.milliseconds)
        if let device {
            writer.integer(Self.second)
            writer.fixed(device.id.bytes)
            writer.integer(device.chosen.milliseconds)
            writer.fixed(device.pushKey)
            writer.fixed(device.sealedName)
        }
        writer.counted(self.token)
        writer.counted(Array(self.topic.utf8))
    }

    package init(from reader: inout ByteReader) throws {
        let sharer = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let issued = try reader.time()
        let (device, token): (RegisteredDevice?, [UInt8])
        switch try reader.integer(UInt8.self) {
        case 0: (device, token) = (nil, try reader.fixed(Int(reader.integer(UInt8.self))))
        case Self.second: (device, token) = (try Self.device(from: &reader), try reader.counted())
        case let version: throw reader.error("\(version) is no registration of version 1 or 2")
        }
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

internal import Vocabulary

extension Registration: Signable {
    package static var domain: String { "whereabouts/registration/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.sharer.bytes)
        writer.integer(self.issued.milliseconds)
        writer.counted(self.token)
        writer.counted(Array(self.topic.utf8))
    }

    package init(from reader: inout ByteReader) throws {
        let sharer = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let issued = try reader.time()
        let token = try reader.counted()
        let utf8 = try reader.counted()
        guard let topic = String(validating: utf8, as: UTF8.self) else { throw reader.error("the topic is not UTF-8") }
        try self.init(sharer: sharer, token: token, topic: topic, issued: issued)
    }
}

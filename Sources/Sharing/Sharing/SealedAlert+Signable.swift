internal import WhereaboutsVocabulary

extension SealedAlert: Signable {
    package static var domain: String { "whereabouts/alert/v1" }

    package var signer: PublicIdentity { self.dispatcher }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.alert.bytes)
        writer.fixed(self.incident.bytes)
        writer.fixed(self.dispatcher.bytes)
        writer.integer(self.role.rawValue)
        writer.counted(self.sealed)
    }

    package init(from reader: inout ByteReader) throws {
        let alert = SealedAlert(
            alert: try reader.value(AlertID.byteCount, AlertID.init(bytes:)),
            incident: try reader.value(IncidentID.byteCount, IncidentID.init(bytes:)),
            dispatcher: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            role: try reader.enumeration(),
            sealed: try reader.counted()
        )
        guard let alert else { throw reader.error("the sealed position has more than \(Self.sealedBytesMax) bytes") }
        self = alert
    }
}

extension IncidentsPermit: Signable {
    package static var domain: String { "whereabouts/incidents/v1" }

    package var signer: PublicIdentity { self.dispatcher }

    package func write(to writer: inout ByteWriter) { writer.fixed(self.dispatcher.bytes) }

    package init(from reader: inout ByteReader) throws {
        self.init(dispatcher: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)))
    }
}

internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

extension IncidentOpening: Signable {
    package static var domain: String { "whereabouts/incident/v1" }

    package var signer: PublicIdentity { self.dispatcher }

    package func verifyParts() throws {
        // Check before any alert: no volunteer could seal a position to a bad key.
        try RecipientKey.check(self.publicKey, suite: self.suite)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.incident.id.bytes)
        writer.fixed(self.dispatcher.bytes)
        writer.integer(self.incident.signed.milliseconds)
        self.incident.cell.write(to: &writer)
        writer.integer(self.incident.priority.rawValue)
        writer.integer(UInt8(self.incident.responders))
        writer.integer(UInt8(self.incident.needsAED ? 1 : 0))
        writer.integer(self.suite.rawValue)
        writer.fixed(self.publicKey)
    }

    package init(from reader: inout ByteReader) throws {
        let id = try reader.value(IncidentID.byteCount, IncidentID.init(bytes:))
        let dispatcher = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let signed = try reader.time()
        let cell = try Grid.Cell(from: &reader)
        let priority = try reader.enumeration(Incident.Priority.self)
        let responders = Int(try reader.integer(UInt8.self))
        let needsAED = try reader.flag()
        let incident = Incident(
            id: id,
            cell: cell,
            priority: priority,
            responders: responders,
            needsAED: needsAED,
            signed: signed
        )
        guard let incident else { throw reader.error("the cell or the number of responders is out of range") }
        let suite = try reader.enumeration(Suite.self)
        self.init(
            incident: incident,
            dispatcher: dispatcher,
            suite: suite,
            publicKey: try reader.fixed(suite.publicKeyByteCount)
        )
    }
}

extension IncidentClosing: Signable {
    package static var domain: String { "whereabouts/incident-end/v1" }

    package var signer: PublicIdentity { self.dispatcher }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.incident.bytes)
        writer.fixed(self.dispatcher.bytes)
        writer.integer(self.reason.rawValue)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            incident: try reader.value(IncidentID.byteCount, IncidentID.init(bytes:)),
            dispatcher: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            reason: try reader.enumeration()
        )
    }
}

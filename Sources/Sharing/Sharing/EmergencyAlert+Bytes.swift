internal import WhereaboutsVocabulary

extension EmergencyAlert {
    /// The form of an alert in the profile.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.fixed(self.id.bytes)
        writer.fixed(self.incident.bytes)
        writer.fixed(self.dispatcher.bytes)
        writer.integer(self.priority.rawValue)
        writer.integer(self.role.rawValue)
        writer.integer(self.suite.rawValue)
        writer.counted(self.publicKey)
        writer.integer(self.expires.milliseconds)
        self.state.write(to: &writer)
        writer.integer(UInt8(self.place == nil ? 0 : 1))
        self.place?.write(to: &writer)
        writer.integer(UInt8(self.fix == nil ? 0 : 1))
        self.fix?.write(to: &writer)
        writer.integer(self.newest)
        writer.integer(UInt8(self.outgoing.count))
        for outgoing in self.outgoing { outgoing.write(to: &writer) }
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the alert")
        let id = try reader.value(AlertID.byteCount, AlertID.init(bytes:))
        let incident = try reader.value(IncidentID.byteCount, IncidentID.init(bytes:))
        let dispatcher = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let priority = try reader.enumeration(Incident.Priority.self)
        let role = try reader.enumeration(Responder.Role.self)
        let suite = try reader.enumeration(Suite.self)
        let publicKey = try reader.counted()
        let expires = try reader.time()
        let state = try State(from: &reader)
        let place = try reader.flag() ? PatientPlace(from: &reader) : nil
        let fix = try reader.flag() ? SharedFix(from: &reader) : nil
        let newest = try reader.integer(UInt32.self)
        let outgoing = try (0..<reader.integer(UInt8.self)).map { _ in try Outgoing(from: &reader) }
        try reader.end()
        self.init(
            id: id,
            incident: incident,
            dispatcher: dispatcher,
            priority: priority,
            role: role,
            suite: suite,
            publicKey: publicKey,
            expires: expires,
            restoring: (state: state, place: place, fix: fix, outgoing: outgoing, newest: newest)
        )
    }
}

extension EmergencyAlert.State {
    private enum Tag: UInt8 {
        case locating = 1
        case asking, outOfRange, refused, accepted, onTheWay, arrived, withdrawn, ended
    }

    fileprivate func write(to writer: inout ByteWriter) {
        func tag(_ tag: Tag) { writer.integer(tag.rawValue) }
        switch self {
        case .locating: tag(.locating)
        case .asking: tag(.asking)
        case .outOfRange: tag(.outOfRange)
        case .refused: tag(.refused)
        case .accepted: tag(.accepted)
        case .onTheWay: tag(.onTheWay)
        case .arrived: tag(.arrived)
        case .withdrawn: tag(.withdrawn)
        case .ended(let end):
            tag(.ended)
            writer.integer(end.rawValue)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws {
        self =
            switch try reader.enumeration(Tag.self) {
            case .locating: .locating
            case .asking: .asking
            case .outOfRange: .outOfRange
            case .refused: .refused
            case .accepted: .accepted
            case .onTheWay: .onTheWay
            case .arrived: .arrived
            case .withdrawn: .withdrawn
            case .ended: .ended(try reader.enumeration())
            }
    }
}

extension EmergencyAlert.Outgoing {
    private enum Tag: UInt8 {
        case band = 1
        case outOfRange, refused, accepted, enRoute, arrived, withdrawn
    }

    fileprivate func write(to writer: inout ByteWriter) {
        func tag(_ tag: Tag) { writer.integer(tag.rawValue) }
        writer.integer(self.number)
        switch self.reply {
        case .band(let band):
            tag(.band)
            writer.integer(band.rawValue)
        case .outOfRange: tag(.outOfRange)
        case .refused: tag(.refused)
        case .accepted(let fix):
            tag(.accepted)
            fix.write(to: &writer)
        case .enRoute(let fix):
            tag(.enRoute)
            fix.write(to: &writer)
        case .arrived: tag(.arrived)
        case .withdrawn: tag(.withdrawn)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws {
        let number = try reader.integer(UInt32.self)
        let reply: EmergencyAlert.Reply =
            switch try reader.enumeration(Tag.self) {
            case .band: .band(try reader.enumeration())
            case .outOfRange: .outOfRange
            case .refused: .refused
            case .accepted: .accepted(try SharedFix(from: &reader))
            case .enRoute: .enRoute(try SharedFix(from: &reader))
            case .arrived: .arrived
            case .withdrawn: .withdrawn
            }
        self.init(number: number, reply: reply)
    }
}

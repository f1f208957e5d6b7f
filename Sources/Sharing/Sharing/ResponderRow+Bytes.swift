package import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The form of a row in both stores; the key and the time until which the row is kept are separate columns.
extension ResponderRow {
    private enum Kind: UInt8 {
        case enrolled = 1
        case left = 2
        case opened = 3
        case alert = 4
        case audited = 5
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .enrolled(let message):
            writer.integer(Kind.enrolled.rawValue)
            writer.fixed(message.bytes)
        case .left(let message, let until):
            writer.integer(Kind.left.rawValue)
            writer.fixed(message.bytes)
            writer.integer(until.milliseconds)
        case .opened(let incident):
            writer.integer(Kind.opened.rawValue)
            writer.fixed(incident.opening.bytes)
            writer.integer(incident.opened.milliseconds)
            writer.integer(incident.end.map { Responder.End.incident($0).number } ?? 0)
            writer.integer(incident.keptUntil.milliseconds)
        case .alert(let alert):
            writer.integer(Kind.alert.rawValue)
            alert.write(to: &writer)
        case .audited(let audit):
            writer.integer(Kind.audited.rawValue)
            audit.write(to: &writer)
        }
        return writer.bytes
    }

    /// Reads ``bytes``, without checking signatures.
    package init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "a row about responders")
        switch try reader.enumeration(Kind.self) {
        case .enrolled: self = .enrolled(try Signed<Enrolment>(from: &reader))
        case .left:
            let message = try Signed<Departure>(from: &reader)
            self = .left(message, keptUntil: try reader.time())
        case .opened:
            let opening = try Signed<IncidentOpening>(from: &reader)
            let opened = try reader.time()
            let end = try reader.end(of: IncidentEnd.self)
            self = .opened(Opened(opening: opening, opened: opened, end: end, keptUntil: try reader.time()))
        case .alert: self = .alert(try Alert(from: &reader))
        case .audited: self = .audited(try IncidentAudit(from: &reader))
        }
        try reader.end()
    }
}

extension ResponderRow.Alert {
    /// The numbers of ``Responder/State`` in a row.
    private enum StateNumber: UInt8 {
        case chosen = 1
        case alerted = 2
        case silent = 3
        case accepted = 4
        case enRoute = 5
        case arrived = 6
        case within3 = 7
        case within6 = 8
        case within9 = 9
        case longer = 10

        init(_ state: Responder.State) {
            self =
                switch state {
                case .chosen: .chosen
                case .alerted: .alerted
                case .silent: .silent
                case .accepted: .accepted
                case .enRoute: .enRoute
                case .arrived: .arrived
                case .band(.within3): .within3
                case .band(.within6): .within6
                case .band(.within9): .within9
                case .band(.longer): .longer
                }
        }

        var state: Responder.State {
            switch self {
            case .chosen: .chosen
            case .alerted: .alerted
            case .silent: .silent
            case .accepted: .accepted
            case .enRoute: .enRoute
            case .arrived: .arrived
            case .within3: .band(.within3)
            case .within6: .band(.within6)
            case .within9: .band(.within9)
            case .longer: .band(.longer)
            }
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.fixed(self.alert.bytes)
        writer.fixed(self.person.bytes)
        writer.counted(self.key)
        writer.integer(self.woken.milliseconds)
        writer.integer(StateNumber(self.state).rawValue)
        writer.integer(self.newest)
        writer.integer(UInt8(self.position == nil ? 0 : 1))
        writer.counted(self.position ?? [])
        writer.integer(UInt8(self.isRevealed ? 1 : 0))
        writer.integer(self.end?.number ?? 0)
        writer.integer(UInt8(self.isUntold ? 1 : 0))
        writer.integer(self.keptUntil.milliseconds)
    }

    fileprivate init(from reader: inout ByteReader) throws {
        let alert = try Signed<SealedAlert>(from: &reader)
        let person = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let (key, woken) = (try reader.counted(), try reader.time())
        let state = try reader.enumeration(StateNumber.self).state
        let newest = try reader.integer(UInt32.self)
        let hasPosition = try reader.flag()
        let position = try reader.counted()
        let isRevealed = try reader.flag()
        let end = try reader.end(of: Responder.End.self)
        let isUntold = try reader.flag()
        self.init(alert: alert, person: person, key: key, woken: woken, keptUntil: try reader.time())
        self.state = state
        self.newest = newest
        self.position = hasPosition ? position : nil
        self.isRevealed = isRevealed
        self.end = end
        self.isUntold = isUntold
    }
}

extension IncidentAudit {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.fixed(self.incident.bytes)
        writer.fixed(self.dispatcher.bytes)
        writer.integer(self.priority.rawValue)
        writer.integer(UInt8(self.responders))
        writer.integer(UInt8(self.needsAED ? 1 : 0))
        writer.integer(self.opened.milliseconds)
        writer.integer(UInt8(self.woken.count))
        for count in self.woken + self.outcomes { writer.integer(UInt16(clamping: count)) }
        writer.integer(self.end.map { Responder.End.incident($0).number } ?? 0)
        writer.integer(self.changed.milliseconds)
    }

    private var outcomes: [Int] {
        [self.acceptedCount, self.arrivedCount, self.declinedCount, self.undeliveredCount]
    }

    fileprivate init(from reader: inout ByteReader) throws {
        self.init(
            incident: try reader.value(IncidentID.byteCount, IncidentID.init(bytes:)),
            dispatcher: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            priority: try reader.enumeration(Incident.Priority.self),
            responders: Int(try reader.integer(UInt8.self)),
            needsAED: try reader.flag(),
            opened: try reader.time()
        )
        for _ in 0..<(try reader.integer(UInt8.self)) { self.woken.append(Int(try reader.integer(UInt16.self))) }
        self.acceptedCount = Int(try reader.integer(UInt16.self))
        self.arrivedCount = Int(try reader.integer(UInt16.self))
        self.declinedCount = Int(try reader.integer(UInt16.self))
        self.undeliveredCount = Int(try reader.integer(UInt16.self))
        self.end = try reader.end(of: IncidentEnd.self)
        self.changed = try reader.time()
    }
}

extension ByteReader {
    /// Reads the number of an incident's end, or 0 for none.
    fileprivate mutating func end(of _: IncidentEnd.Type) throws -> IncidentEnd? {
        guard let end = try self.end(of: Responder.End.self) else { return nil }
        guard case .incident(let ofIncident) = end else { throw self.error("\(end.number) does not end an incident") }
        return ofIncident
    }

    /// Reads the number of an end, or 0 for none.
    fileprivate mutating func end(of _: Responder.End.Type) throws -> Responder.End? {
        let number = try self.integer(UInt8.self)
        guard number > 0 else { return nil }
        guard let end = Responder.End(number: number) else { throw self.error("\(number) is not an end") }
        return end
    }
}

internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

extension Enrolment: Signable {
    package static var domain: String { "whereabouts/enrolment/v1" }

    package var signer: PublicIdentity { self.person }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.person.bytes)
        writer.integer(self.issued.milliseconds)
        writer.integer(self.skills.rawValue)
        writer.integer(UInt16(self.reach))
        writer.integer(UInt8(self.cells.count))
        for cell in self.cells { cell.write(to: &writer) }
        writer.integer(UInt8(self.hours == nil ? 0 : 1))
        self.hours?.write(to: &writer)
    }

    package init(from reader: inout ByteReader) throws {
        let person = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let issued = try reader.time()
        let skills = Volunteer.Skills(rawValue: try reader.integer())
        let reach = Int(try reader.integer(UInt16.self))
        let count = Int(try reader.integer(UInt8.self))
        let cells = try (0..<count).map { _ in try Grid.Cell(from: &reader) }
        let hasHours = try reader.flag()
        let enrolment = Enrolment(
            person: person,
            issued: issued,
            cells: cells,
            hours: hasHours ? try DayHours(from: &reader) : nil,
            skills: skills,
            reach: reach
        )
        guard let enrolment else { throw reader.error("the cells, the skills or the reach are out of range") }
        self = enrolment
    }
}

extension Departure: Signable {
    package static var domain: String { "whereabouts/departure/v1" }

    package var signer: PublicIdentity { self.person }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.person.bytes)
        writer.integer(self.issued.milliseconds)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            person: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            issued: try reader.time()
        )
    }
}

extension Grid.Cell {
    /// The row and the column, which a grid of 20,000 rows has at most 40,000 of.
    func write(to writer: inout ByteWriter) {
        writer.integer(UInt16(self.row))
        writer.integer(UInt16(self.column))
    }

    /// Reads the form of ``write(to:)``; the message that has the cell checks whether it is on the grid.
    init(from reader: inout ByteReader) throws {
        self.init(row: Int(try reader.integer(UInt16.self)), column: Int(try reader.integer(UInt16.self)))
    }
}

extension ByteReader {
    /// Reads a byte that is 0 or 1.
    mutating func flag() throws -> Bool {
        switch try self.integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw self.error("the flag is neither 0 nor 1")
        }
    }
}

internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The terms on which the person is a volunteer.
struct VolunteerFile: Sendable {
    private static let file = "volunteer"

    let folder: ProfileFolder

    /// Whether the person is or was a volunteer.
    var exists: Bool { self.folder.has(Self.file) }

    func terms() throws -> VolunteerTerms? {
        // Most people have never been volunteers: make no lock for them.
        guard self.exists else { return nil }
        return try self.change { ($0?.terms, nil) }
    }

    /// Chooses the time of the next enrolment or departure, later than the last one, and stores the terms with it.
    func replace(_ terms: VolunteerTerms?, now: WallTime) throws -> WallTime {
        try self.change { last in
            let issued = Registration.time(after: last?.issued, now: now)
            return (issued, Volunteering(terms: terms, issued: issued).bytes)
        }
    }

    private func change<Action>(_ decide: (Volunteering?) throws -> (action: Action, bytes: [UInt8]?)) throws -> Action
    {
        let danger = "this device answers no alerts; delete it, and enrol again"
        return try self.folder.change(Self.file, Volunteering.init(bytes:), danger, decide)
    }
}

/// The terms, and the date of the last message about them.
private struct Volunteering {
    /// Nil after a departure.
    let terms: VolunteerTerms?
    let issued: WallTime

    init(terms: VolunteerTerms?, issued: WallTime) {
        self.terms = terms
        self.issued = issued
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(self.issued.milliseconds)
        writer.integer(UInt8(self.terms == nil ? 0 : 1))
        guard let terms else { return writer.bytes }
        writer.integer(terms.skills.rawValue)
        writer.integer(UInt16(terms.reach))
        writer.integer(UInt8(terms.cells.count))
        for cell in terms.cells { cell.write(to: &writer) }
        writer.integer(UInt8(terms.hours == nil ? 0 : 1))
        terms.hours?.write(to: &writer)
        writer.integer(UInt8(terms.dispatchers.count))
        for dispatcher in terms.dispatchers { writer.fixed(dispatcher.bytes) }
        return writer.bytes
    }

    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the terms of the volunteer")
        self.issued = try reader.time()
        guard try reader.flag() else {
            self.terms = nil
            try reader.end()
            return
        }
        let skills = Volunteer.Skills(rawValue: try reader.integer())
        let reach = Int(try reader.integer(UInt16.self))
        let cells = try (0..<reader.integer(UInt8.self)).map { _ in try Grid.Cell(from: &reader) }
        let hours = try reader.flag() ? DayHours(from: &reader) : nil
        let dispatchers = try (0..<reader.integer(UInt8.self)).map { _ in
            try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        }
        try reader.end()
        self.terms = try VolunteerTerms(
            cells: cells,
            hours: hours,
            skills: skills,
            reach: reach,
            dispatchers: dispatchers
        )
    }
}

package import WhereaboutsGeodesy
package import WhereaboutsVocabulary

/// The random ID of one enrolment of a volunteer.
package typealias VolunteerID = Identifier128<Volunteer>

/// A person who agreed to be alerted to medical emergencies nearby.
///
/// The server knows the coarse cells that the person chose, never a position.
package struct Volunteer: Sendable, Hashable {
    /// The abilities of a volunteer.
    package struct Skills: OptionSet, Sendable, Hashable {
        /// The bits of the set.
        package let rawValue: UInt8

        /// Creates a set from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The person can resuscitate.
        package static let cpr = Skills(rawValue: 1)
        /// The person can fetch a defibrillator.
        package static let aed = Skills(rawValue: 2)

        static let all: Skills = [.cpr, .aed]
    }

    /// The maximum number of cells of one volunteer.
    ///
    /// Source: our choice; home, work, and a few usual places.
    package static let cellsMax = 8
    /// The longest reach in metres.
    ///
    /// Source: our choice; four times the radius of 1.3 to 1.8 km that services use.
    package static let reachMax = 7000
    /// The grid of all cells: 20,000 rows, each 1 km high and wide.
    package static let grid = Grid(rows: 20_000)

    /// The enrolment's ID.
    package let id: VolunteerID
    /// The cells that the person chose, in their order.
    package let cells: [Grid.Cell]
    /// When the person may be woken; nil means always.
    package let hours: DayHours?
    /// The abilities of the person.
    package let skills: Skills
    /// How far the person goes, in metres.
    package let reach: Int

    /// Creates a volunteer; nil when ``isValid(cells:skills:reach:)`` is false.
    package init?(id: VolunteerID, cells: [Grid.Cell], hours: DayHours?, skills: Skills, reach: Int) {
        guard Self.isValid(cells: cells, skills: skills, reach: reach) else { return nil }
        self.id = id
        self.cells = cells
        self.hours = hours
        self.skills = skills
        self.reach = reach
    }

    /// Creates a volunteer from a verified enrolment.
    init(id: VolunteerID, of enrolment: Enrolment) {
        self.id = id
        self.cells = enrolment.cells
        self.hours = enrolment.hours
        self.skills = enrolment.skills
        self.reach = enrolment.reach
    }

    /// Whether there are enough and not too many cells, each once and on the grid, known skills, and a reach in range.
    static func isValid(cells: [Grid.Cell], skills: Skills, reach: Int) -> Bool {
        (1...self.cellsMax).contains(cells.count) && Set(cells).count == cells.count && cells.allSatisfy(\.isOnGrid)
            && !skills.isEmpty && Skills.all.isSuperset(of: skills) && (1...self.reachMax).contains(reach)
    }
}

extension Grid.Cell {
    /// Whether the volunteers' grid has this cell.
    var isOnGrid: Bool {
        let grid = Volunteer.grid
        return (0..<grid.rows).contains(self.row) && (0..<grid.columns(inRow: self.row)).contains(self.column)
    }
}

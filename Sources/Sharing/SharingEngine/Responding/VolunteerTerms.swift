package import WhereaboutsGeodesy
package import WhereaboutsVocabulary

/// The terms on which a person is alerted to medical emergencies.
public struct VolunteerTerms: Sendable, Hashable {
    /// The maximum number of dispatchers that one person accepts.
    ///
    /// Source: our choice; the services of a few towns.
    public static let dispatchersMax = 16

    /// The cells that the person chose, each once, in their order.
    package let cells: [Grid.Cell]
    /// When the person may be woken; nil means always.
    public let hours: DayHours?
    /// Whether the person can resuscitate.
    public var resuscitates: Bool { self.skills.contains(.cpr) }
    /// Whether the person can fetch a defibrillator.
    public var fetchesDefibrillator: Bool { self.skills.contains(.aed) }
    package let skills: Volunteer.Skills
    /// How far the person goes, in metres.
    public let reach: Int
    /// The organisations whose alerts the phone answers.
    public let dispatchers: [PublicIdentity]

    /// Creates terms.
    ///
    /// - Parameters:
    ///   - places: up to eight usual places in degrees north and east; the server learns only their cells of 1 km.
    ///   - hours: when the person may be woken; nil means always.
    ///   - resuscitates: whether the person can resuscitate.
    ///   - fetchesDefibrillator: whether the person can fetch a defibrillator.
    ///   - reach: how far the person goes, 1 to 7,000 m.
    ///   - dispatchers: the organisations whose alerts the phone answers, 1 to 16.
    /// - Throws: ``SharingError`` naming the first value that is out of range.
    public init(
        places: [(latitude: Double, longitude: Double)],
        hours: DayHours?,
        resuscitates: Bool,
        fetchesDefibrillator: Bool,
        reach: Int,
        dispatchers: [PublicIdentity]
    ) throws(SharingError) {
        var cells: [Grid.Cell] = []
        for place in places {
            let cell = try Self.cell(latitude: place.latitude, longitude: place.longitude)
            if !cells.contains(cell) { cells.append(cell) }
        }
        var skills: Volunteer.Skills = []
        if resuscitates { skills.insert(.cpr) }
        if fetchesDefibrillator { skills.insert(.aed) }
        try self.init(cells: cells, hours: hours, skills: skills, reach: reach, dispatchers: dispatchers)
    }

    package init(
        cells: [Grid.Cell],
        hours: DayHours?,
        skills: Volunteer.Skills,
        reach: Int,
        dispatchers: [PublicIdentity]
    ) throws(SharingError) {
        guard Volunteer.isValid(cells: cells, skills: skills, reach: reach) else {
            throw SharingError(
                .badText,
                "a volunteer has 1 to \(Volunteer.cellsMax) places, a skill, and a reach of 1 to \(Volunteer.reachMax) m; "
                    + "got \(cells.count) places and \(reach) m"
            )
        }
        guard (1...Self.dispatchersMax).contains(dispatchers.count), Set(dispatchers).count == dispatchers.count else {
            throw SharingError(
                .badText,
                "a volunteer accepts 1 to \(Self.dispatchersMax) different dispatchers; name the identity of your emergency service"
            )
        }
        self.cells = cells
        self.hours = hours
        self.skills = skills
        self.reach = reach
        self.dispatchers = dispatchers
    }

    /// The cell of 1 km that contains a place.
    package static func cell(latitude: Double, longitude: Double) throws(SharingError) -> Grid.Cell {
        Volunteer.grid.cell(containing: try QuantizedCoordinate(latitude: latitude, longitude: longitude))
    }

    /// The centres of the cells, in degrees north and east.
    public var centers: [(latitude: Double, longitude: Double)] {
        self.cells.map { cell in
            let center = Volunteer.grid.center(of: cell).coordinate
            return (center.latitude, center.longitude)
        }
    }

    /// The person's message to the server.
    package func enrolment(of person: PublicIdentity, issued: WallTime) -> Enrolment {
        Enrolment(self, of: person, issued: issued)
    }
}

extension QuantizedCoordinate {
    /// Rounds a place in degrees north and east.
    ///
    /// - Throws: ``SharingError`` when it is not on the Earth.
    package init(latitude: Double, longitude: Double) throws(SharingError) {
        guard (-180...180).contains(longitude),
            let point = GeodeticCoordinate(latitude: latitude, longitude: longitude)
        else {
            throw SharingError(.badText, "a latitude is within -90...90, and a longitude within -180...180")
        }
        self.init(point)
    }
}

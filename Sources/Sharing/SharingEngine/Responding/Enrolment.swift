package import WhereaboutsGeodesy
package import WhereaboutsVocabulary

/// A person's message that enrols the person as a volunteer, or changes the enrolment.
///
/// The server draws the ``VolunteerID``, so that nobody can replace the enrolment of another person.
package struct Enrolment: Sendable, Hashable {
    /// The volunteer's key; alerts go to the device that the person registered.
    package let person: PublicIdentity
    /// When the person signed it; a later enrolment replaces an earlier one.
    package let issued: WallTime
    package let cells: [Grid.Cell]
    package let hours: DayHours?
    package let skills: Volunteer.Skills
    package let reach: Int

    /// Creates an enrolment; nil when a ``Volunteer`` can't have these values.
    package init?(
        person: PublicIdentity,
        issued: WallTime,
        cells: [Grid.Cell],
        hours: DayHours?,
        skills: Volunteer.Skills,
        reach: Int
    ) {
        guard Volunteer.isValid(cells: cells, skills: skills, reach: reach) else { return nil }
        self.person = person
        self.issued = issued.wholeMilliseconds
        self.cells = cells
        self.hours = hours
        self.skills = skills
        self.reach = reach
    }

    /// Creates an enrolment on these terms, which are valid.
    init(_ terms: VolunteerTerms, of person: PublicIdentity, issued: WallTime) {
        self.person = person
        self.issued = issued.wholeMilliseconds
        self.cells = terms.cells
        self.hours = terms.hours
        self.skills = terms.skills
        self.reach = terms.reach
    }
}

/// A person's message that ends the person's enrolment.
package struct Departure: Sendable, Hashable {
    /// The volunteer's key.
    package let person: PublicIdentity
    /// When the person signed it; only a later enrolment is accepted afterwards.
    package let issued: WallTime

    package init(person: PublicIdentity, issued: WallTime) {
        self.person = person
        self.issued = issued.wholeMilliseconds
    }
}

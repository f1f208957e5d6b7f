internal import WhereaboutsVocabulary

/// The numbers of the dispatch.
package struct DispatchPolicy: Sendable, Hashable {
    /// One step of an incident.
    package struct Phase: Sendable, Hashable {
        /// How far the cells are from the incident's cell, in metres.
        package var radius: Int
        /// The number of alerts that wait for an answer at the same time, for each role.
        package var open: Int
        /// How long the step takes, if too few people accept.
        package var length: Duration

        package init(radius: Int, open: Int, length: Duration) {
            self.radius = radius
            self.open = open
            self.length = length
        }
    }

    /// The steps, each wider than the one before it; the last one lasts until the end.
    ///
    /// Source: seven people at once, each refusal replaced, is better than to alert everyone; services use 1.3 to 1.8 km. The
    /// lengths are our choice.
    package var phases = [
        Phase(radius: 1500, open: 7, length: .seconds(30)), Phase(radius: 3000, open: 10, length: .seconds(30)),
        Phase(radius: 5000, open: 15, length: .seconds(60)),
    ]
    /// How long the server waits for the position that the dispatcher seals to a chosen volunteer's phone.
    ///
    /// Source: our choice; the dispatcher's program seals at once, and a mobile connection is slow.
    package var sealing: Duration = .seconds(10)
    /// How long the server waits for a phone, and again for the person, before it alerts somebody else.
    package var silence: Duration = .seconds(20)
    /// How long an acceptance waits for people with a shorter travel time.
    ///
    /// Source: our choice. The person gets ready meanwhile: the median turnout is 1:45. In `city`, 10 s gain half as much,
    /// and 40 s little more.
    package var choice: Duration = .seconds(20)
    /// The maximum number of times that one volunteer is woken within ``day``.
    package var wakesMax = 3
    /// The period of ``wakesMax``.
    package let day: Duration = .seconds(86_400)
    /// The maximum number of alerts of one incident.
    package var alertsMax = 100
    /// The maximum number of volunteers that the search for one role looks at.
    package var examinedMax = 2000
    /// The maximum number of open incidents.
    package var incidentsMax = 1000
    /// The maximum number of enrolled volunteers.
    package var volunteersMax = 2_000_000
    /// When an incident ends by itself.
    package var lifetime: Duration = .seconds(3600)
    /// How far the date of a message may differ from the server's; the IDs of ended incidents are kept twice as long.
    package var freshness: Duration = .seconds(120)
    /// The maximum number of IDs of incidents that are remembered.
    package var rememberedMax = 10_000

    package init() {}

    /// Whether a message of this date may be a new one.
    func isFresh(_ signed: WallTime, now: WallTime) -> Bool {
        signed <= now.advanced(by: self.freshness) && now - self.freshness <= signed
    }
}

internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The enrolled volunteers, found by cell.
///
/// Enrolling, leaving, and finding a bounded number of people near a cell take a time that does not grow with the number
/// of volunteers. The dictionaries only answer questions; the arrays keep an order that depends on the inputs alone.
struct VolunteerIndex: Sendable {
    struct Entry: Sendable {
        var volunteer: Volunteer
        /// The position in the list of each cell.
        var positions: [Int]
        /// The wakes of the last day, oldest first.
        var wakes: [WallTime] = []
        /// The alert that has not ended yet.
        var alert: AlertID?
    }

    private var entries: [VolunteerID: Entry] = [:]
    private var lists: [Grid.Cell: [VolunteerID]] = [:]

    var count: Int { self.entries.count }

    subscript(id: VolunteerID) -> Entry? { self.entries[id] }

    /// Stores a volunteer, or replaces the earlier enrolment and keeps the wakes.
    mutating func insert(_ volunteer: Volunteer) {
        let earlier = self.remove(volunteer.id)
        var positions: [Int] = []
        for cell in volunteer.cells {
            positions.append(self.lists[cell]?.count ?? 0)
            self.lists[cell, default: []].append(volunteer.id)
        }
        self.entries[volunteer.id] = Entry(
            volunteer: volunteer,
            positions: positions,
            wakes: earlier?.wakes ?? [],
            alert: earlier?.alert
        )
    }

    /// Removes a volunteer; the last of each list moves into the gap.
    @discardableResult
    mutating func remove(_ id: VolunteerID) -> Entry? {
        guard let entry = self.entries.removeValue(forKey: id) else { return nil }
        for (cell, position) in zip(entry.volunteer.cells, entry.positions) {
            guard let last = self.lists[cell]?.popLast() else { continue }
            if last != id {
                self.lists[cell]?[position] = last
                if let place = self.entries[last]?.volunteer.cells.firstIndex(of: cell) {
                    self.entries[last]?.positions[place] = position
                }
            }
            if self.lists[cell]?.isEmpty == true { self.lists[cell] = nil }
        }
        return entry
    }

    mutating func chosen(_ id: VolunteerID, by alert: AlertID) { self.entries[id]?.alert = alert }

    mutating func woken(_ id: VolunteerID, now: WallTime, day: Duration) {
        self.entries[id]?.wakes.removeAll { $0.duration(to: now) >= day }
        self.entries[id]?.wakes.append(now)
    }

    mutating func alertEnded(_ id: VolunteerID) { self.entries[id]?.alert = nil }

    /// Returns up to `count` volunteers that `isEligible` accepts, from the nearest cells first.
    ///
    /// People of one cell are equally near for the server, so a random one of them is asked first.
    func nearest(
        _ count: Int,
        in cells: [(cell: Grid.Cell, metres: Int)],
        examining examinedMax: Int,
        using generator: inout some RandomNumberGenerator,
        isEligible: (Entry, _ metres: Int) -> Bool
    ) -> [VolunteerID] {
        var chosen: [VolunteerID] = []
        var left = examinedMax
        for (cell, metres) in cells where chosen.count < count {
            guard let list = self.lists[cell] else { continue }
            let start = Int.random(in: 0..<list.count, using: &generator)
            for step in 0..<list.count {
                guard chosen.count < count, left > 0 else { return chosen }
                left -= 1
                let id = list[(start + step) % list.count]
                // A volunteer may have chosen two of the cells.
                guard let entry = self.entries[id], isEligible(entry, metres), !chosen.contains(id) else { continue }
                chosen.append(id)
            }
        }
        return chosen
    }
}

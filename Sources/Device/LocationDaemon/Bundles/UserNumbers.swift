internal import WhereaboutsLocationEngine

/// The user IDs of apps, and the apps that own them (ADR 0082).
///
/// Files that an app left outside of its container still belong to its user ID. A released ID is therefore assigned
/// again only when no unused one is left.
struct UserNumbers: Sendable, Hashable {
    private(set) var owners: [BundleID: UInt32]
    /// The released IDs that no app has; the ID that was released first comes first.
    private(set) var returned: [UInt32]

    /// Restores stored numbers; nil when two apps have the same number, or a number was returned twice.
    init?(owners: [BundleID: UInt32] = [:], returned: [UInt32] = []) {
        let all = Array(owners.values) + returned
        guard Set(all).count == all.count else { return nil }
        (self.owners, self.returned) = (owners, returned)
    }

    /// The app of a number.
    func bundle(of number: UInt32) -> BundleID? { self.owners.first { $0.value == number }?.key }

    /// Assigns an app an ID: its own if it has one, otherwise the lowest unused ID, otherwise the ID that was released first.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - range: the IDs that may be assigned.
    ///   - isTaken: whether something else on the machine uses an ID.
    /// - Returns: the number; nil when none is free.
    mutating func give(_ bundle: BundleID, in range: ClosedRange<UInt32>, isTaken: (UInt32) -> Bool) -> UInt32? {
        if let number = self.owners[bundle] { return number }
        let used = Set(self.owners.values).union(self.returned)
        let number =
            range.first { !used.contains($0) && !isTaken($0) }
            ?? self.returned.first { range.contains($0) && !isTaken($0) }
        guard let number else { return nil }
        self.returned.removeAll { $0 == number }
        self.owners[bundle] = number
        return number
    }

    /// Counts the apps that would get no ID, if all of these apps started.
    ///
    /// - Parameters:
    ///   - apps: apps that have a number or need one.
    ///   - range: the IDs that may be assigned.
    ///   - isTaken: whether something else on the machine uses an ID.
    /// - Returns: how many.
    func shortage(
        of apps: some Sequence<BundleID>,
        in range: ClosedRange<UInt32>,
        isTaken: (UInt32) -> Bool
    ) -> Int {
        let given = Set(self.owners.values)
        var waiting = apps.count { self.owners[$0] == nil }
        for number in range {
            // Stop early: a range may contain billions of IDs.
            guard waiting > 0 else { break }
            if !given.contains(number), !isTaken(number) { waiting -= 1 }
        }
        return waiting
    }

    /// Releases an app's number, and returns it; nil: the app had none.
    mutating func giveBack(_ bundle: BundleID) -> UInt32? {
        guard let number = self.owners.removeValue(forKey: bundle) else { return nil }
        self.returned.append(number)
        return number
    }
}

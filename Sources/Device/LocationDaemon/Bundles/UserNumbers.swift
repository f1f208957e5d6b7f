internal import WhereaboutsLocationEngine

/// The numbers of apps' users, and their owners (ADR 0082).
///
/// Files that an app left outside of its container stay the number's. So one that came back is given again last: the next app would own
/// them.
struct UserNumbers: Sendable, Hashable {
    private(set) var owners: [BundleID: UInt32]
    /// The returned, unassigned numbers, the longest unused first.
    private(set) var returned: [UInt32]

    /// Restores stored numbers; nil when two apps have the same number, or a number was returned twice.
    init?(owners: [BundleID: UInt32] = [:], returned: [UInt32] = []) {
        let all = Array(owners.values) + returned
        guard Set(all).count == all.count else { return nil }
        (self.owners, self.returned) = (owners, returned)
    }

    /// The app of a number.
    func bundle(of number: UInt32) -> BundleID? { self.owners.first { $0.value == number }?.key }

    /// Gives an app a number: its own if it has one, otherwise the lowest unused number, otherwise the number that was returned longest ago.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - range: the numbers that may be given.
    ///   - isTaken: whether the machine knows the number otherwise.
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

    /// The apps that would get no number, if all of them got one.
    ///
    /// - Parameters:
    ///   - apps: apps that have a number or need one.
    ///   - range: the numbers that may be given.
    ///   - isTaken: whether the machine knows a number otherwise.
    /// - Returns: how many.
    func shortage(
        of apps: some Sequence<BundleID>,
        in range: ClosedRange<UInt32>,
        isTaken: (UInt32) -> Bool
    ) -> Int {
        let given = Set(self.owners.values)
        var waiting = apps.count { self.owners[$0] == nil }
        for number in range {
            // A range may contain all possible users.
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

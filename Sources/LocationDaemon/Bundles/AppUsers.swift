internal import DeviceCore
internal import DurableStorage
internal import Foundation
internal import JSONReading
internal import LocationEngine

/// The users that apps run as, one for each, from a range of numbers that are nobody else's (ADR 0082).
///
/// A number is an app's from its first start until its files are gone: given away earlier, the next app would own what this one
/// left.
struct AppUsers {
    let range: ClosedRange<UInt32>
    private let path: String
    private(set) var numbers: [BundleID: UInt32]

    /// The file of the numbers in a state directory.
    static func path(in state: String) -> String { state + "/users.json" }

    /// Reads the numbers that were given away before.
    init(range: ClosedRange<UInt32>, state: String) throws(DaemonError) {
        let path = Self.path(in: state)
        var numbers: [BundleID: UInt32] = [:]
        if let data = try StateFile.read(path) {
            // Read wrongly, an app would get another's files.
            guard let texts = try? JSONReader().decode([String: UInt32].self, from: data) else {
                throw DaemonError(
                    "\(path) cannot be read; it says which app owns which files. Restore it, or remove all apps with "
                        + "their files: \(state)/apps, \(state)/containers and \(path)"
                )
            }
            for (name, number) in texts {
                guard range.contains(number) else {
                    throw DaemonError(
                        "\(path) gives \(name) the user \(number), which --app-users does not hold; name a range with it"
                    )
                }
                numbers[BundleID(name)] = number
            }
        }
        self.range = range
        self.path = path
        self.numbers = numbers
    }

    /// The app that runs as a user.
    func bundle(of number: UInt32) -> BundleID? { self.numbers.first { $0.value == number }?.key }

    /// Gives an app a user, the one that it has or else the lowest that is free.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - isTaken: whether the machine knows the number otherwise: an account, or a process that an app left behind.
    /// - Returns: the user's number.
    /// - Throws: ``DaemonError`` when none is free, or the disk does not take it.
    mutating func assign(_ bundle: BundleID, isTaken: (UInt32) -> Bool) throws(DaemonError) -> UInt32 {
        if let number = self.numbers[bundle] { return number }
        let given = Set(self.numbers.values)
        guard let number = self.range.first(where: { !given.contains($0) && !isTaken($0) }) else {
            let taken = self.range.count - given.count
            let others =
                taken == 0
                ? "" : ", and \(taken) are taken on this machine by accounts, or by processes that an app left behind"
            throw DaemonError(
                "no user is free for \(bundle): of \(self.range.lowerBound) to \(self.range.upperBound) \(given.count) are other "
                    + "apps'\(others); uninstall an app, or widen --app-users"
            )
        }
        var numbers = self.numbers
        numbers[bundle] = number
        try self.save(numbers)
        return number
    }

    /// Takes an app's user back; its files are gone.
    mutating func giveBack(_ bundle: BundleID) throws(DaemonError) {
        guard self.numbers[bundle] != nil else { return }
        var numbers = self.numbers
        numbers[bundle] = nil
        try self.save(numbers)
    }

    private mutating func save(_ numbers: [BundleID: UInt32]) throws(DaemonError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let texts = Dictionary(uniqueKeysWithValues: numbers.map { ($0.key.rawValue, $0.value) })
        guard let data = try? encoder.encode(texts) else { throw DaemonError("cannot encode \(self.path)") }
        try StateFile.write(data, to: self.path, durability: .power)
        self.numbers = numbers
    }
}

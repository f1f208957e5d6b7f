internal import Foundation
internal import WhereaboutsDeviceCore
internal import WhereaboutsDurableStorage
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationEngine

/// The Linux user IDs that apps run as: one for each app, from a range that nothing else uses (ADR 0082).
///
/// An app keeps its user ID from its first start until its files are removed. If another app received the ID earlier,
/// that app would own the remaining files.
struct AppUsers {
    /// The file's content.
    private struct File: Codable {
        var users: [String: UInt32]
        /// The released user IDs; the ID that was released first comes first.
        var returned: [UInt32]
    }

    let range: ClosedRange<UInt32>
    private let path: String
    private var all: UserNumbers

    /// The user ID of each app that has one.
    var numbers: [BundleID: UInt32] { self.all.owners }

    /// The path of the file with the user IDs.
    static func path(in state: String) -> String { state + "/users.json" }

    /// Reads the user IDs that were assigned earlier.
    init(range: ClosedRange<UInt32>, state: String) throws(DaemonError) {
        let path = Self.path(in: state)
        var file = File(users: [:], returned: [])
        if let data = try StateFile.read(path) {
            // Refuse a file that cannot be decoded: a wrong assignment would give an app another app's files.
            guard let read = try? JSONReader().decode(File.self, from: data) else {
                throw Self.unreadable(path, "cannot be read", state)
            }
            file = read
        }
        for (name, number) in file.users where !range.contains(number) {
            throw DaemonError(
                "\(path) assigns the user ID \(number) to \(name), but it is not in the range of --app-users; give a range with it"
            )
        }
        let owners = Dictionary(uniqueKeysWithValues: file.users.map { (BundleID($0.key), $0.value) })
        guard let all = UserNumbers(owners: owners, returned: file.returned) else {
            throw Self.unreadable(path, "contains a user ID twice", state)
        }
        self.range = range
        self.path = path
        self.all = all
    }

    private static func unreadable(_ path: String, _ fault: String, _ state: String) -> DaemonError {
        DaemonError(
            "\(path) \(fault); it records which user each app has. Restore it, or remove all apps with "
                + "their files: \(state)/apps, \(state)/containers and \(path)"
        )
    }

    /// The app that runs as a user.
    func bundle(of number: UInt32) -> BundleID? { self.all.bundle(of: number) }

    /// Assigns an app its user ID: the one it has, or a free one (``UserNumbers``).
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - isTaken: whether an account, or a process that an app left behind, uses this user ID.
    /// - Returns: the user ID.
    /// - Throws: ``DaemonError`` when no user is free, or the file cannot be written.
    mutating func assign(_ bundle: BundleID, isTaken: (UInt32) -> Bool) throws(DaemonError) -> UInt32 {
        if let number = self.numbers[bundle] { return number }
        var all = self.all
        guard let number = all.give(bundle, in: self.range, isTaken: isTaken) else {
            let given = self.numbers.count
            let taken = self.range.count - given
            let others =
                taken == 0
                ? "" : ", and \(taken) are taken on this machine by accounts, or by processes that an app left behind"
            throw DaemonError(
                "no user ID is free for \(bundle): of \(self.range.lowerBound) to \(self.range.upperBound), \(given) belong to other "
                    + "apps\(others); uninstall an app, or widen --app-users"
            )
        }
        try self.save(all)
        return number
    }

    /// The number of apps that would get no user ID (``UserNumbers``).
    func shortage(of apps: some Sequence<BundleID>, isTaken: (UInt32) -> Bool) -> Int {
        self.all.shortage(of: apps, in: self.range, isTaken: isTaken)
    }

    /// Releases an app's user ID; the app's files must be removed before.
    mutating func giveBack(_ bundle: BundleID) throws(DaemonError) {
        var all = self.all
        guard all.giveBack(bundle) != nil else { return }
        try self.save(all)
    }

    private mutating func save(_ all: UserNumbers) throws(DaemonError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let users = Dictionary(uniqueKeysWithValues: all.owners.map { ($0.key.rawValue, $0.value) })
        guard let data = try? encoder.encode(File(users: users, returned: all.returned)) else {
            throw DaemonError("cannot encode \(self.path)")
        }
        try StateFile.write(data, to: self.path, durability: .power)
        self.all = all
    }
}

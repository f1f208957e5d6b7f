internal import Foundation
internal import Glibc
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsDurableStorage
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Stores pushes from before they are acknowledged until they are completed: each in a sealed file, since it holds a
/// request.
///
/// ```
///   save ──▶ ID.push ──take──▶ ID.trying ──survived──▶ ID.push ──forget──▶ (none)
///                                  │ locationd ended, or it cannot be read
///                                  └──▶ ID.aside
/// ```
/// A push that locationd was handling when it ended is set aside, because it could end locationd again.
struct PushSpool {
    /// A push on disk: a binary property list with the payload as bytes.
    private struct Record: Codable {
        /// The version that this code writes and reads.
        static let currentVersion = 1

        var version = Self.currentVersion
        var bundle: String
        var payload: Data
        /// Whether the payload is a JSON object; checked when the push arrived, and not again.
        var isObject: Bool
        var expirationMicroseconds: Int64?
        var priority: Int
        var collapseID: String?
        /// When the push arrived, by the wall clock, because the monotonic clock restarts at each boot.
        var receivedMicroseconds: Int64
    }

    private static let purpose = "push"
    /// The maximum number of files of pushes that are set aside for people to examine.
    static let asideMax = 16

    let directory: String
    private let seal: StateSeal

    init(directory: String, seal: StateSeal) throws(DaemonError) {
        self.directory = directory
        self.seal = seal
        try StateFile.makeDirectory(directory)
    }

    /// Saves a push so that it survives the end of the process; it may be lost in a power failure.
    func save(_ push: Push) throws(DaemonError) {
        let record = Record(
            bundle: push.bundle.rawValue,
            payload: Data(push.payload),
            isObject: push.isObject,
            expirationMicroseconds: push.expiration?.microseconds,
            priority: push.priority.apns.rawValue,
            collapseID: push.collapseID,
            receivedMicroseconds: Clocks.wall().microseconds
        )
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(record) else { throw DaemonError("cannot encode a push") }
        try StateFile.write(self.seal.seal(data, for: Self.purpose), to: self.path(push.id), durability: .process)
    }

    func forget(_ push: PushID) {
        unsafe unlink(self.path(push))
        unsafe unlink(self.path(push, .trying))
    }

    /// The pushes that were not completed, in the order of their identifiers, and how many are set aside now.
    func kept() -> (pushes: [PushID], setAside: Int) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []).sorted()
        let trying = names.compactMap { Self.id($0, .trying) }
        for id in trying { self.setAside(id) }
        for name in names.filter({ Self.id($0, .aside) != nil }).dropLast(Self.asideMax) {
            unsafe unlink(self.directory + "/" + name)
        }
        return (names.compactMap { Self.id($0, .push) }, trying.count)
    }

    /// Reads a stored push, and marks it on disk as being handled, until ``survived(_:)``.
    ///
    /// - Returns: nil when the push cannot be read; it is then set aside.
    func take(_ id: PushID) -> Push? {
        guard unsafe rename(self.path(id), self.path(id, .trying)) == 0,
            let sealed = FileManager.default.contents(atPath: self.path(id, .trying)),
            let data = try? self.seal.open(sealed, for: Self.purpose, at: self.path(id)),
            let record = try? PropertyListDecoder().decode(Record.self, from: data),
            record.version == Record.currentVersion, let priority = Priority(rawValue: record.priority)
        else {
            self.setAside(id)
            return nil
        }
        return Push(
            id: id,
            bundle: BundleID(record.bundle),
            payload: Array(record.payload),
            isObject: record.isObject,
            priority: Push.Priority(priority),
            collapseID: record.collapseID,
            expiration: record.expirationMicroseconds.map { WallTime(microseconds: $0) },
            received: Self.received(record.receivedMicroseconds, now: Clocks.now())
        )
    }

    /// Records that locationd survived handling a push; does nothing if the push was completed.
    func survived(_ id: PushID) {
        _ = unsafe rename(self.path(id, .trying), self.path(id))
    }

    private func setAside(_ id: PushID) {
        _ = unsafe rename(self.path(id, .trying), self.path(id, .aside))
    }

    /// When a push arrived, on the monotonic clock; not after the present time.
    private static func received(_ microseconds: Int64, now: Now) -> EngineInstant {
        now.monotonic - max(WallTime(microseconds: microseconds).duration(to: now.wall), .zero)
    }

    /// The ending of a file's name: a push that waits, is being tried, or was set aside.
    private enum Ending: String {
        case push
        case trying
        case aside
    }

    private func path(_ push: PushID, _ ending: Ending = .push) -> String {
        "\(self.directory)/\(push).\(ending.rawValue)"
    }

    private static func id(_ name: String, _ ending: Ending) -> PushID? {
        name.hasSuffix("." + ending.rawValue) ? PushID(name.dropLast(ending.rawValue.utf8.count + 1)) : nil
    }
}

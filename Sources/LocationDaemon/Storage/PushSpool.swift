internal import DurableStorage
internal import Foundation
internal import LocationEngine
internal import Vocabulary

/// Keeps pushes on disk from before they are acknowledged until they are dealt with: a file each.
struct PushSpool {
    /// A push as it lies on disk.
    private struct Record: Codable {
        var bundle: String
        var payload: Data
        var expirationMicroseconds: Int64?
        var priority: Int?
        var collapseID: String?
        /// When it came, by the wall clock: the other one begins anew with each boot.
        var receivedMicroseconds: Int64?
    }

    let directory: String

    init(directory: String) throws(DaemonError) {
        self.directory = directory
        try StateFile.makeDirectory(directory)
    }

    /// Saves a push against the end of the process; a loss of power may lose the question, not the answer.
    func save(_ push: Push) throws(DaemonError) {
        let record = Record(
            bundle: push.bundle.rawValue,
            payload: Data(push.payload),
            expirationMicroseconds: push.expiration?.microseconds,
            priority: push.priority.rawValue,
            collapseID: push.collapseID,
            receivedMicroseconds: Clocks.wall().microseconds
        )
        guard let data = try? JSONEncoder().encode(record) else { throw DaemonError("cannot encode a push") }
        try StateFile.write(data, to: self.path(push.id), durability: .process)
    }

    func forget(_ push: PushID) {
        try? FileManager.default.removeItem(atPath: self.path(push))
    }

    /// The pushes that were not dealt with, in the order of their identifiers; what cannot be read is removed.
    func load() -> [Push] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        return names.sorted().compactMap { name in
            let path = self.directory + "/" + name
            guard let id = Self.id(name), let data = FileManager.default.contents(atPath: path),
                let record = try? JSONDecoder().decode(Record.self, from: data)
            else {
                try? FileManager.default.removeItem(atPath: path)
                return nil
            }
            return Push(
                id: id,
                bundle: BundleID(record.bundle),
                payload: Array(record.payload),
                isObject: PushPayload.isObject(Array(record.payload)),
                priority: record.priority.flatMap(Push.Priority.init(rawValue:)) ?? .immediate,
                collapseID: record.collapseID,
                expiration: record.expirationMicroseconds.map { WallTime(microseconds: $0) },
                received: Self.received(record.receivedMicroseconds, now: Clocks.now())
            )
        }
    }

    /// When a push came, on the clock of this boot; no earlier than its beginning.
    private static func received(_ microseconds: Int64?, now: Now) -> EngineInstant {
        let age = microseconds.map { WallTime(microseconds: $0).duration(to: now.wall) } ?? .zero
        return now.monotonic.advanced(by: .zero - min(max(age, .zero), now.monotonic.sinceStart))
    }

    private func path(_ push: PushID) -> String {
        "\(self.directory)/\(push).push"
    }

    private static func id(_ name: String) -> PushID? {
        name.hasSuffix(".push") ? PushID(name.dropLast(5)) : nil
    }
}

package import Vocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
extension SharingHome: SharerRecords {
    /// Remembers a request, in this process or any other that uses the home.
    package func remember(_ id: RequestID, policy: Policy, now: WallTime) throws -> SeenRequests.OnReceived {
        let path = "\(self.path)/received"
        return try FileLock.hold("\(path).lock") {
            var seen = SeenRequests()
            if FileManager.default.fileExists(atPath: path) {
                do {
                    seen = try SeenRequests(bytes: Array(Data(contentsOf: URL(filePath: path))))
                } catch {
                    throw SharingError(
                        .badHome,
                        "\(path) is damaged (\(error)): without it a request could be answered twice; "
                            + "delete it \(policy.lifetimeMax.components.seconds) s after the last request, or restore it"
                    )
                }
            }
            let action = seen.received(id, policy: policy, now: now)
            switch action {
            case .remember: try HomeFile.replace(path, seen.bytes)
            case .replayed, .full: break
            }
            return action
        }
    }
}

extension SeenRequests {
    /// The entries one after the other: the id, then the time in milliseconds since 1970.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        for entry in self.entries {
            writer.fixed(entry.id.bytes)
            writer.integer(entry.time.milliseconds)
        }
        return writer.bytes
    }

    /// Reads what ``bytes`` writes.
    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the list of received requests")
        let (count, rest) = bytes.count.quotientAndRemainder(dividingBy: RequestID.byteCount + 8)
        guard rest == 0, count <= Self.countMax else { throw reader.error("\(bytes.count) bytes are no whole list") }
        var entries: [Entry] = []
        for _ in 0..<count {
            let id = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
            entries.append(Entry(id: id, time: try reader.time()))
        }
        self.init(restoring: entries)
    }
}

package import Vocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SharingHome: SharerRecords {
    /// Remembers a request, in this process or any other that uses the home.
    package func remember(_ id: RequestID, policy: SharingPolicy, now: WallTime) throws -> SeenRequests.OnReceived {
        try self.change(
            "received",
            SeenRequests.init(bytes:),
            "a request could be answered twice; delete it \(policy.lifetimeMax.components.seconds) s after the last request"
        ) { seen in
            var changed = seen ?? SeenRequests()
            let action = changed.received(id, policy: policy, now: now)
            return (action, action == .remember ? changed.bytes : nil)
        }
    }

    /// Records a use of a grant, in this process or any other that uses the home.
    package func use(_ grant: Grant, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
        guard grant.intervalMin > 0 else { return .answer }
        return try self.change(
            "answered",
            GrantUses.init(bytes:),
            "a grant could be used too often; delete it when the longest interval of your grants is over"
        ) { uses in
            var changed = uses ?? GrantUses()
            let action = changed.used(grant, policy: policy, now: now)
            return (action, action == .record ? changed.bytes : nil)
        }
    }

    /// Decides by a file's contents, and replaces them, while no other process does.
    private func change<Contents, Action>(
        _ name: String,
        _ read: ([UInt8]) throws -> Contents,
        _ danger: String,
        _ decide: (Contents?) -> (action: Action, bytes: [UInt8]?)
    ) throws -> Action {
        let path = "\(self.path)/\(name)"
        return try FileLock.hold("\(path).lock") {
            var contents: Contents?
            if FileManager.default.fileExists(atPath: path) {
                do {
                    contents = try read(Array(Data(contentsOf: URL(filePath: path))))
                } catch {
                    throw SharingError(
                        .badHome,
                        "\(path) is damaged (\(error)): without it \(danger), or restore it"
                    )
                }
            }
            let (action, bytes) = decide(contents)
            if let bytes { try HomeFile.replace(path, bytes) }
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

extension GrantUses {
    /// The entries one after the other: the grant, then the time in milliseconds since 1970.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        for entry in self.entries {
            writer.fixed(entry.grant.bytes)
            writer.integer(entry.paidUntil.milliseconds)
        }
        return writer.bytes
    }

    /// Reads what ``bytes`` writes.
    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the list of used grants")
        let (count, rest) = bytes.count.quotientAndRemainder(dividingBy: GrantID.byteCount + 8)
        guard rest == 0, count <= Self.countMax else { throw reader.error("\(bytes.count) bytes are no whole list") }
        var entries: [Entry] = []
        for _ in 0..<count {
            let grant = try reader.value(GrantID.byteCount, GrantID.init(bytes:))
            entries.append(Entry(grant: grant, paidUntil: try reader.time()))
        }
        self.init(restoring: entries)
    }
}

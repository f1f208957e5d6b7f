internal import Foundation
internal import Rig
internal import Testing

/// Goal: the current programs read everything that earlier versions wrote (`dev/keep-state`).
@Suite(.timeLimit(.minutes(2))) struct KeptStateTests {
    private static let kept = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "KeptState")

    /// The versions whose state is kept in the repository.
    static let versions: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: Self.kept.path).sorted()) ?? []

    private let place: String

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: self.place, withIntermediateDirectories: false)
    }

    /// Copies a folder, readable by its owner alone.
    ///
    /// Git keeps no modes, and `copyItem` would give the copy to the original's owner, which only root may.
    private func copy(_ name: String, of version: String) throws -> String {
        let (files, copy) = (FileManager.default, "\(self.place)/\(name)")
        let original = Self.kept.appending(path: "\(version)/\(name)").path
        let ownersOnly: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try files.createDirectory(atPath: copy, withIntermediateDirectories: false, attributes: ownersOnly)
        for name in try files.subpathsOfDirectory(atPath: original) {
            let (from, to) = ("\(original)/\(name)", "\(copy)/\(name)")
            let attributes = try files.attributesOfItem(atPath: from)
            let mode = (attributes[.posixPermissions] as? Int ?? 0) & 0o700
            let own: [FileAttributeKey: Any] = [.posixPermissions: mode]
            if attributes[.type] as? FileAttributeType == .typeDirectory {
                try files.createDirectory(atPath: to, withIntermediateDirectories: true, attributes: own)
            } else {
                let contents = try Data(contentsOf: URL(filePath: from))
                #expect(files.createFile(atPath: to, contents: contents, attributes: own))
            }
        }
        return copy
    }

    private func output(_ program: String, _ arguments: String...) throws -> [String: Any] {
        let log = "\(self.place)/\(program).log"
        let ended = try Child(program, Binaries().path(program), arguments, log: log).waitForEnd(within: 30)
        #expect(ended.status == 0, "\((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")")
        return try Self.object(Data(ended.output.utf8))
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// Whether a value contains everything that another one contains; a later version may contain more.
    private static func holds(_ value: Any?, _ kept: Any) -> Bool {
        switch (value, kept) {
        case (let value as [String: Any], let kept as [String: Any]):
            kept.allSatisfy { self.holds(value[$0.key], $0.value) }
        case (let value as [Any], let kept as [Any]):
            value.count == kept.count && zip(value, kept).allSatisfy { self.holds($0, $1) }
        default: value.map { "\($0)" == "\(kept)" } ?? false
        }
    }

    private static func expected(_ name: String, of version: String) throws -> [String: Any] {
        try self.object(Data(contentsOf: self.kept.appending(path: "\(version)/\(name).json")))
    }

    @Test func thereIsOneAtLeast() {
        #expect(!Self.versions.isEmpty, "run dev/keep-state")
    }

    /// Goal: apps, people's decisions about them, and the switch for location services are read.
    @Test(arguments: Self.versions) func aDeviceGoesOn(version: String) async throws {
        try await OwnThread.run {
            let state = try self.copy("device", of: version)
            let locationd = try Child(
                "locationd",
                Binaries().path("locationd"),
                ["--state", state, "--runtime", "\(self.place)/run", "--gpsd", "127.0.0.1:9", "--cgroup", "none"],
                log: "\(self.place)/locationd.log"
            )
            defer { locationd.terminate() }
            _ = try locationd.waitForLine(within: 30) { $0.hasPrefix("listening ") }
            let settings = try self.output("locationctl", "settings", "--json", "--runtime", "\(self.place)/run")
            let kept = try Self.expected("settings", of: version)
            #expect(Self.holds(settings, kept), "\(settings)")
        }
    }

    /// The versions of which a gateway is kept.
    static let gateways = Self.versions.filter { version in
        FileManager.default.fileExists(atPath: Self.kept.appending(path: "\(version)/gateway.json").path)
    }

    /// Goal: keys that an operator added are valid.
    @Test(arguments: Self.gateways) func aGatewayGoesOn(version: String) async throws {
        try await OwnThread.run {
            let database = try self.copy("gateway", of: version) + "/push.sqlite"
            let (log, control) = ("\(self.place)/gateway.log", "\(self.place)/control")
            let made = try Child("init", Binaries().path("whereabouts"), ["init", "\(self.place)/server"], log: log)
            #expect(try made.waitForEnd(within: 30).status == 0)
            let gateway = try Child(
                "gateway",
                Binaries().path("whereabouts"),
                [
                    "gateway", "--provider-address", "127.0.0.1:0", "--device-address", "127.0.0.1:0",
                    "--certificate", "\(self.place)/server/tls.pem", "--private-key", "\(self.place)/server/tls.key",
                    "--database", database, "--control", control,
                ],
                log: log
            )
            defer { gateway.terminate() }
            _ = try gateway.waitForLine(within: 30) { $0.hasPrefix("listening ") }
            let status = try self.output("whereabouts", "gateway", "status", "--control", control, "--json")
            let kept = try Self.expected("gateway", of: version)
            #expect(Self.holds(status, kept), "\(status)")
        }
    }

    /// Goal: keys, names, servers and grants are read; whether a grant is still valid depends on the date.
    @Test(arguments: Self.versions) func peopleGoOn(version: String) async throws {
        try await OwnThread.run {
            for person in ["alice", "bob"] {
                let profile = try self.copy(person, of: version)
                let identity = try self.output("whereabouts", "identity", "show", "--profile", profile, "--json")
                let kept = try Self.expected(person, of: version)
                #expect(Self.holds(identity, kept), "\(identity)")
            }
            var kept = try Self.expected("grants", of: version)
            kept["state"] = nil
            let grants = try self.output("whereabouts", "grants", "--profile", "\(self.place)/alice", "--json")
            #expect(Self.holds(grants, kept) && !kept.isEmpty, "\(grants)")
        }
    }
}

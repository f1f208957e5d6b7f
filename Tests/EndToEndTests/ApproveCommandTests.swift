internal import Foundation
internal import Glibc
internal import Rig
internal import Testing

/// Goal: `whereabouts approve --out` writes a new file and replaces no existing one.
///
/// `grants` lists the approval.
@Suite(.timeLimit(.minutes(1))) final class ApproveCommandTests {
    private let place: String

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "wa-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.place) }

    private func whereabouts(_ arguments: [String]) throws -> Child.Ended {
        let log = self.place + "/errors.log"
        return try Child("whereabouts", Binaries().path("whereabouts"), arguments, log: log).waitForEnd(within: 30)
    }

    /// Creates the sharer and a requester; returns the requester's ID.
    private func makeIdentities() throws -> String {
        struct Shown: Decodable { var id: String }
        let shown = try ["sharer", "bob"].map { name in
            try self.whereabouts(
                [
                    "identity", "create", "--profile", "\(self.place)/\(name)", "--server", "https://localhost:1",
                    "--json",
                ]
            )
        }
        return try JSONDecoder().decode(Shown.self, from: Data(shown[1].output.utf8)).id
    }

    private func approve(_ id: String, out: String) throws -> Child.Ended {
        try self.whereabouts(["approve", id, "--profile", self.place + "/sharer", "--for", "1d", "--out", out])
    }

    private func kind(_ path: String) throws -> FileAttributeType? {
        try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    }

    @Test func aPipeIsWrittenTo() throws {
        let id = try self.makeIdentities()
        let pipe = self.place + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = try Child("cat", "/bin/cat", [pipe], log: "/dev/null")
        defer { reader.kill() }
        #expect(try self.approve(id, out: pipe).status == 0)
        let grant = try reader.waitForEnd(within: 20).output
        #expect(grant.hasSuffix("\n") && grant.count > 100 && grant.split(separator: "\n").count == 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: pipe)
        #expect(attributes[.type] as? FileAttributeType != .typeRegular)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.place).contains("pipe"))
    }

    @Test func standardOutputIsWrittenTo() throws {
        let before = try self.kind("/dev/stdout")
        let ended = try self.approve(try self.makeIdentities(), out: "/dev/stdout")
        let lines = ended.output.split(separator: "\n")
        #expect(ended.status == 0 && lines.count == 2 && lines.last?.hasPrefix("approved until") == true)
        #expect(try self.kind("/dev/stdout") == before)
    }

    @Test func aFileIsMadeAndNoneIsReplaced() throws {
        let id = try self.makeIdentities()
        let file = self.place + "/bob.grant"
        #expect(try self.approve(id, out: file).status == 0)
        let grant = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(try self.approve(id, out: file).status == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == grant)
        #expect(try self.approve(id, out: self.place + "/nowhere/bob.grant").status == 1)
        // If the file cannot be written, no grant is made.
        let listed = try self.whereabouts(["grants", "--profile", self.place + "/sharer", "--json"]).output
        #expect(listed.split(separator: "\n").count == 1 && listed.contains(#""state":"holds""#))
    }

    @Test func aGrantIsListedPrintedAndTakenBackByItsID() throws {
        struct Listed: Decodable { var id: String }
        let (profile, file) = (self.place + "/sharer", self.place + "/bob.grant")
        let id = try self.makeIdentities()
        #expect(
            try self.whereabouts(["grants", "--profile", profile]).output.contains(
                "You haven't shared your location with anyone"
            )
        )
        #expect(try self.approve(id, out: file).status == 0)
        let json = try self.whereabouts(["grants", "--profile", profile, "--json"]).output
        let grant = try JSONDecoder().decode(Listed.self, from: Data(json.utf8)).id
        let text = try self.whereabouts(["grants", "--profile", profile, "--text", grant]).output
        #expect(try text == String(contentsOfFile: file, encoding: .utf8))
        #expect(try self.whereabouts(["grants", "--profile", profile]).output.contains("\(grant)  "))
        // Without a server, the device still refuses from now on.
        #expect(try self.whereabouts(["revoke", grant, "--profile", profile]).status == 1)
        #expect(
            try self.whereabouts(["grants", "--profile", profile, "--json"]).output.contains(#""state":"revoked""#)
        )
        #expect(try self.whereabouts(["grants", "--profile", profile, "--text", "nonsense"]).status == 1)
    }
}

internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for damaged files of a profile: the next command does not delete the damaged data, and the error fits a
/// personal file.
struct DamagedFilesTests {
    private let directory: TemporaryDirectory
    private let profile: SharingProfile
    private let pair: Pair

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("sharer")
        self.pair = try Pair()
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(self.profile.path)/\(name)"))
    }

    private func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(self.profile.path)/\(name)", encoding: .utf8)
    }

    private func approve(usesMax: UInt16? = nil) throws -> Signed<Grant> {
        try Sharer(profile: self.profile).approve(
            requester: self.pair.requester.publicIdentity,
            precision: .full,
            for: .seconds(60),
            limits: GrantLimits(usesMax: usesMax)
        )
    }

    @Test(arguments: ["", "{", #"{"a":"Al""#, "[]", #"{"a":1}"#, "\u{0}"])
    func damagedNamesAreNotOverwritten(_ damage: String) throws {
        let friend = try Sharer(profile: self.directory.profile("friend"))
        let grant = try friend.approve(
            requester: self.profile.identity.publicIdentity,
            precision: .full,
            for: .seconds(60)
        )
        try self.write(damage, to: "names.json")
        let error = #expect(throws: SharingError.self) { try self.profile.keep(grant, from: "Al") }
        #expect(error?.code == .badProfile && error?.message.contains("names.json is damaged") == true)
        #expect(throws: SharingError(.badProfile, "")) {
            try self.profile.call(self.pair.requester.publicIdentity, "Bob")
        }
        #expect(try self.text(of: "names.json") == damage)
        #expect(try self.profile.received().isEmpty, "a grant without its name would be found by nobody")
        #expect(self.profile.name(of: self.pair.requester.publicIdentity) == nil)
        try FileManager.default.removeItem(atPath: "\(self.profile.path)/names.json")
        try self.profile.keep(grant, from: "Al")
        #expect(self.profile.name(of: friend.profile.identity.publicIdentity) == "Al")
        #expect(try self.profile.received().count == 1)
    }

    /// Goal: a person who looks for an unreadable name gets the reason, and a file name cannot send control characters
    /// to the terminal.
    @Test func namesThatCannotBeReadAreSaid() throws {
        let bob = self.pair.requester.publicIdentity
        let none = self.profile.namesDamage
        #expect(none == nil)
        try self.write("{", to: "names.json")
        let damage = self.profile.namesDamage
        #expect(damage?.message.contains("names.json is damaged") == true)
        #expect(try self.profile.damage().map(\.code) == [.badProfile])
        try self.write(#"{"\#(bob.text)":"\u001B[31mBob\u202E"}"#, to: "names.json")
        #expect(self.profile.name(of: bob) == "[31mBob")
        try self.write(#"{"\#(bob.text)":"\u0007"}"#, to: "names.json")
        #expect(self.profile.name(of: bob) == nil)
        #expect(try self.profile.damage().isEmpty)
    }

    /// Goal: the directory of `whereabouts init` can be moved, and a missing file is reported as missing.
    @Test func trustRootsAreFoundWhereTheHomeWasMoved() throws {
        let before = URL(filePath: self.profile.path).appending(path: "../before").standardizedFileURL
        let after = before.deletingLastPathComponent().appending(path: "after")
        try FileManager.default.createDirectory(at: before, withIntermediateDirectories: true)
        let authority = before.appending(path: "ca.pem")
        let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        try Data(pem.utf8).write(to: authority)
        let settings = try ServerSettings(
            server: "https://localhost:8443",
            trustRoots: authority.path(percentEncoded: false)
        )
        let me = try SharingProfile.openOrCreate(
            path: before.appending(path: "me").path(percentEncoded: false),
            settings: settings
        )
        #expect(me.settings.trustRoots == authority.path(percentEncoded: false))
        try FileManager.default.moveItem(at: before, to: after)
        let moved = try SharingProfile(path: after.appending(path: "me").path(percentEncoded: false))
        #expect(moved.settings.trustRoots == after.appending(path: "ca.pem").path(percentEncoded: false))
        _ = try moved.invitation(name: "Me")
        try FileManager.default.removeItem(at: after.appending(path: "ca.pem"))
        let lost = try SharingProfile(path: moved.path)
        #expect(lost.settings.trustRoots == authority.path(percentEncoded: false))
        let error = #expect(throws: SharingError.self) { try lost.invitation(name: "Me") }
        #expect(error?.message.contains("cannot be read") == true, "\(error?.message ?? "")")
    }

    /// Goal: a new user without ~/.local/share gets a profile that other users cannot access.
    @Test func aProfileIsMadeWithItsParents() throws {
        let home = URL(filePath: self.profile.path).appending(path: "../home").standardizedFileURL
        let parent = home.appending(path: ".local/share").path(percentEncoded: false)
        let settings = try ServerSettings(server: "https://localhost:8443")
        _ = try SharingProfile.openOrCreate(path: parent + "/whereabouts", settings: settings)
        let mode = try FileManager.default.attributesOfItem(atPath: parent)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        let file = home.appending(path: "file").path(percentEncoded: false)
        try Data().write(to: URL(filePath: file))
        let error = #expect(throws: SharingError.self) {
            try SharingProfile.openOrCreate(path: file + "/whereabouts", settings: settings)
        }
        #expect(error?.message.contains("cannot be created; give a path") == true, "\(error?.message ?? "")")
    }

    @Test func aNameThatIsTakenKeepsNoGrant() throws {
        let friend = try Sharer(profile: self.directory.profile("friend"))
        let me = self.profile.identity.publicIdentity
        let grant = try friend.approve(requester: me, precision: .full, for: .seconds(60))
        try self.profile.call(self.pair.requester.publicIdentity, "Al")
        #expect(throws: SharingError(.badText, "")) { try self.profile.keep(grant, from: "Al") }
        #expect(try self.profile.received().isEmpty)
        // Not even the name of another person's grant is kept.
        let other = try friend.approve(
            requester: self.pair.requester.publicIdentity,
            precision: .full,
            for: .seconds(60)
        )
        #expect(throws: SharingError(.notForUs, "")) { try self.profile.keep(other, from: "Carol") }
        #expect(self.profile.name(of: friend.profile.identity.publicIdentity) == nil)
    }

    @Test func aDamagedListOfUsesHidesNoGrant() throws {
        let (counted, free) = (try self.approve(usesMax: 3), try self.approve())
        try self.write("?", to: "used")
        let (grants, damage) = try self.profile.readableGrants()
        #expect(Set(grants) == [counted, free] && damage.isEmpty)
        #expect(try self.profile.usesLeft(of: free.value) == nil)
        let error = #expect(throws: SharingError.self) { try self.profile.usesLeft(of: counted.value) }
        #expect(error?.message.contains("used is damaged") == true && error?.message.contains("delete it") == true)
        #expect(error?.message.contains("author") == false, "nobody else can give one's own file again")
        #expect(try self.text(of: "used") == "?")
    }

    @Test func aDamagedGrantHidesNoOther() throws {
        let (damaged, good) = (try self.approve(), try self.approve())
        let name = "grants/\(damaged.value.id)"
        try self.write("grant-v1.", to: name)
        let (grants, damage) = try self.profile.readableGrants()
        #expect(grants == [good] && damage.count == 1)
        #expect(damage.first?.message.contains(name) == true && damage.first?.message.contains("backup") == true)
        #expect(throws: SharingError(.badProfile, "")) { try self.profile.grants() }
        #expect(throws: SharingError(.badProfile, "")) { try self.profile.grant(damaged.value.id) }
        #expect(try self.profile.grant(good.value.id) == good)
    }
}

internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

struct IdentityTests {
    @Test func textHasAChecksum() throws {
        let identity = try Pair().sharer.publicIdentity
        let text = identity.text
        #expect(text.count == 54)
        #expect(try PublicIdentity(text: text) == identity)
        for index in text.indices {
            var typo = text
            typo.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(throws: SharingError(.badText, "")) { try PublicIdentity(text: typo) }
        }
        #expect(throws: SharingError(.badText, "")) { try PublicIdentity(text: String(text.dropLast())) }
        #expect(throws: SharingError(.badText, "")) { try PublicIdentity(text: "") }
    }

    /// Goal: keys for which anyone can sign, and non-canonical encodings of a key, are refused.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]) func weakKeysAreNoIdentities(hex: String) throws {
        #expect(PublicIdentity(bytes: try #require(Hex.bytes(of: hex))) == nil)
    }

    @Test func safetyNumberIsSixGroupsOfFive() throws {
        let pair = try Pair()
        #expect(pair.sharer.publicIdentity.safetyNumber.wholeMatch(of: /[0-9]{5}( [0-9]{5}){5}/) != nil)
        #expect(pair.sharer.publicIdentity.safetyNumber != pair.requester.publicIdentity.safetyNumber)
    }

    @Test func homeIsPrivateAndKeepsItsIdentity() throws {
        let directory = try TemporaryDirectory()
        let profile = try directory.profile("a")
        let again = try directory.profile("a")
        #expect(again.identity.publicIdentity == profile.identity.publicIdentity)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(profile.path) == 0o700)
        #expect(try mode(profile.path + "/identity.key") == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: profile.path)
        #expect(Set(names) == ["identity.key", "server.json", "grants", "revocations"])
    }

    @Test func homeThatIsNotRightSaysWhatToDo() throws {
        let directory = try TemporaryDirectory()
        // The remedy works as printed, with everything that the command needs; an existing identity is not replaced.
        let none = #expect(throws: SharingError.self) { try SharingProfile(path: directory.path + "/none") }
        #expect(none?.code == .noProfile && none?.message.hasPrefix("there is no identity in ") == true)
        #expect(none?.message.contains("/none --server https://host:port`") == true)
        let profile = try directory.profile("a")
        let binary = directory.path + "/binary"
        try FileManager.default.createDirectory(atPath: binary + "/identity.key", withIntermediateDirectories: true)
        let unreadable = #expect(throws: SharingError.self) { try SharingProfile(path: binary) }
        #expect(unreadable?.message.contains("identity.key cannot be read") == true)
        #expect(unreadable?.message.contains("identity create") == false)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: profile.path + "/identity.key")
        let error = #expect(throws: SharingError.self) { try SharingProfile(path: profile.path) }
        #expect(error?.message.contains("chmod 600") == true)
        #expect(throws: SharingError(.badText, "")) { try ServerSettings(server: "http://localhost") }
        #expect(try ServerSettings(server: "https://localhost/").server == "https://localhost")
    }
}

internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Compares the secret of a link with another implementation's vectors (`docs/protocol/link-vectors.txt`).
struct LinkSecretTests {
    private static let vectors: [String: String] = {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/protocol/link-vectors.txt")
        let lines = ((try? String(contentsOf: path, encoding: .utf8)) ?? "").split(separator: "\n")
        let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " = ", maxSplits: 1) }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
    }()

    private func bytes(_ name: String) throws -> [UInt8] {
        let text = try #require(Self.vectors[name], "\(name)")
        return try #require(Hex.bytes(of: text), "\(name)")
    }

    private func text(_ name: String) throws -> String { String(decoding: try self.bytes(name), as: UTF8.self) }

    private func check(_ secret: LinkSecret, _ prefix: String) throws {
        let identity = try secret.identity()
        #expect(try identity.publicIdentity.bytes == self.bytes(prefix + "identity"))
        #expect(try Identity(seed: self.bytes(prefix + "identity-secret")).publicIdentity == identity.publicIdentity)
        #expect(try secret.address.bytes == self.bytes(prefix + "address"))
        let fragment = try #require(Self.vectors[prefix + "fragment"])
        #expect(secret.text(server: "https://localhost:8443") == "https://localhost:8443/see#\(fragment)")
        let (grant, sharer, name) = try secret.open(self.bytes(prefix + "sealed"))
        #expect(try grant.bytes == self.bytes(prefix + "grant"))
        #expect(grant.value.requester == identity.publicIdentity && grant.value.usesMax == 5)
        #expect(try sharer == self.text("sharer-name"))
        #expect(try name == self.text("link-name"))
        let statement = try Signed<LinkedGrant>(bytes: self.bytes(prefix + "statement")).verified().value
        #expect(statement.address == secret.address && statement.grant == grant.value.id)
        #expect(statement.sharer == grant.value.sharer && statement.notAfter == grant.value.notAfter)
        #expect(try statement.sealed == self.bytes(prefix + "sealed"))
    }

    @Test func aLinkIsDerivedFromItsSeed() throws {
        try self.check(LinkSecret(seed: self.bytes("seed")), "")
    }

    /// The password does not depend on how a keyboard composes its letters.
    @Test(arguments: ["password", "password-decomposed"])
    func aPasswordChangesEverythingThatIsDerived(_ password: String) throws {
        try self.check(LinkSecret(seed: self.bytes("seed"), password: self.text(password)), "password-")
    }

    @Test func anotherPasswordLeadsElsewhere() throws {
        let right = try LinkSecret(seed: self.bytes("seed"), password: self.text("password"))
        let wrong = try LinkSecret(seed: self.bytes("seed"), password: self.text("password") + " ")
        let none = try LinkSecret(seed: self.bytes("seed"))
        #expect(Set([right, wrong, none].map(\.address)).count == 3)
        for other in [wrong, none] {
            #expect(throws: SharingError(.cannotOpen, "")) { try other.open(self.bytes("password-sealed")) }
        }
    }

    @Test func whatIsSealedOpensAndHasOneSize() throws {
        let secret = try LinkSecret(seed: self.bytes("seed"))
        let pair = try Pair()
        let long = try pair.grant(hours: Pair.hours, usesMax: 3, asksPerson: true, followMinutesMax: 60)
        let name = String(repeating: "n", count: Invitation.nameBytesMax)
        for (grant, sharer, name) in [(try pair.grant(), "", ""), (long, name, name)] {
            let sealed = try secret.seal(grant, sharer: sharer, name: name)
            #expect(sealed.count == LinkedGrant.sealedByteCount)
            let opened = try secret.open(sealed)
            #expect(opened == (grant, sharer, name))
        }
    }

    /// Goal: without the link, nobody can change what it shows.
    @Test func anAlteredGrantDoesNotOpen() throws {
        let secret = try LinkSecret(seed: self.bytes("seed"))
        let sealed = try self.bytes("sealed")
        for index in [0, 11, 12, 500, sealed.count - 1] {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SharingError(.cannotOpen, ""), "byte \(index)") { try secret.open(changed) }
        }
        #expect(throws: SharingError(.cannotOpen, "")) { try secret.open(Array(sealed.dropLast())) }
        #expect(throws: SharingError(.cannotOpen, "")) { try secret.open([]) }
        // Sealed for this link, and forged.
        let forged = Signed(value: try Pair().grant().value, signature: Array(repeating: 0, count: 64))
        let blob = try secret.seal(forged, sharer: "", name: "")
        #expect(throws: SharingError(.badSignature, "")) { try secret.open(blob) }
    }

    @Test func aStatementOfAnotherSizeIsNone() throws {
        let bytes = try self.bytes("statement")
        for count in 0..<bytes.count {
            #expect(throws: SharingError(.badBytes, "")) { try Signed<LinkedGrant>(bytes: Array(bytes.prefix(count))) }
        }
        #expect(throws: SharingError(.badBytes, "")) { try Signed<LinkedGrant>(bytes: bytes + [0]) }
        let link = try Signed<LinkedGrant>(bytes: bytes).value
        let short = LinkedGrant(
            address: link.address,
            sharer: link.sharer,
            grant: link.grant,
            notAfter: link.notAfter,
            sealed: Array(link.sealed.dropLast())
        )
        let signed = try Pair().sharer.sign(short).bytes
        #expect(throws: SharingError(.badBytes, "")) { try Signed<LinkedGrant>(bytes: signed) }
        var changed = bytes
        changed[0] ^= 1
        #expect(throws: SharingError(.badSignature, "")) { try Signed<LinkedGrant>(bytes: changed).verified() }
    }
}

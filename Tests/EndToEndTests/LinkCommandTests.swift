internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests `whereabouts link` with the real programs: a link is created, used, counted, listed and revoked.
@Suite(.serialized, .timeLimit(.minutes(4))) struct LinkCommandTests {
    private struct Made: Decodable {
        var link: String
        var name: String
        var grant: String
        var uses: Int?
    }

    private func secret(_ made: Made, password: String? = nil) throws -> LinkSecret {
        let fragment = try #require(made.link.split(separator: "#").last)
        #expect(fragment.utf8.count == (password == nil ? 43 : 44))
        return try LinkSecret(seed: #require(Base64URL.bytes(of: fragment.suffix(43))), password: password)
    }

    /// A person who opens a link.
    ///
    /// The identity is the link's, and the grant comes from the server.
    private func viewer(_ secret: LinkSecret, _ grant: String, in installation: Installation) throws -> RequesterFiles {
        let files = try installation.makeRequester("viewer-\(UUID().uuidString)")
        let key = Base64URL.text(of: secret.identitySeed)
        try Data("\(key)\n".utf8).write(to: URL(filePath: files.profile + "/identity.key"))
        try Data(grant.utf8).write(to: URL(filePath: files.grant))
        return files
    }

    @Test func aLinkIsUsedCountedNamedAndRevoked() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let profile = ["--profile", installation.sharerProfile]
            func whereabouts(_ arguments: String...) throws -> Child.Ended {
                try installation.run("whereabouts", arguments + profile)
            }
            // Without a terminal, the command cannot ask for the name that the link shows. It does not use the account's.
            let nameless = try whereabouts("link", "--json")
            #expect(nameless.status == 1 && nameless.output.contains("--own-name NAME"), "\(nameless.output)")
            let link = ["link", "--own-name", "Alice", "--for", "2h", "--uses", "2", "--name", "weekend", "--json"]
            let ended = try installation.run("whereabouts", link + profile)
            #expect(ended.status == 0, "\(ended.output)")
            let made = try JSONDecoder().decode(Made.self, from: Data(ended.output.utf8))
            #expect(made.name == "weekend" && made.uses == 2)
            #expect(made.link.hasPrefix("\(installation.server)/see#"))
            let secret = try self.secret(made)
            let curl = try Child(
                "curl",
                "/usr/bin/curl",
                [
                    "--silent", "--cacert", installation.workspace.authorityPath, "--write-out", "%{http_code}",
                    "\(installation.server)/v1/links/\(secret.address)", "--output",
                    "\(installation.workspace.directory)/blob",
                ],
                log: "/dev/null"
            )
            #expect(try curl.waitForEnd(within: 20).output == "200")
            let blob = try Data(contentsOf: URL(filePath: "\(installation.workspace.directory)/blob"))
            let opened = try secret.open([UInt8](blob))
            #expect(opened.name == "weekend" && "\(opened.grant.value.id)" == made.grant)
            let viewer = try self.viewer(secret, opened.grant.text, in: installation)
            #expect(try installation.ask(viewer).status == 0)
            try installation.waitForEvents("push-completed", count: 1)
            #expect(try whereabouts("grants").output.contains("link weekend"))
            #expect(try whereabouts("grants").output.contains("1 of 2"))
            #expect(try whereabouts("journal").output.contains("link weekend"))
            #expect(try whereabouts("friends").output.contains("link weekend"))
            // A link of a person without a device is valid, but its page says that nobody can answer yet.
            let alone = try installation.makeRequester("alone").profile
            #expect(try installation.run("whereabouts", ["link", "--own-name", "A", "--profile", alone]).status == 0)
            #expect(try installation.workspace.everythingLogged().contains("none of your devices is registered"))
            // Each link has its own name.
            #expect(try whereabouts("link", "--name", "Weekend").status == 1)
            #expect(try whereabouts("link", "--for", "32d").status == 1)
            #expect(try whereabouts("link", "--uses", "0").status == 64)
            // The link is shown with its QR code, and with the command that revokes it.
            let shown = try whereabouts("link", "--for", "1h", "--qr")
            #expect(shown.output.contains("█") || shown.output.contains("▀"), "\(shown.output)")
            #expect(
                shown.output.contains("whereabouts revoke --profile \(installation.sharerProfile) 1"),
                "\(shown.output)"
            )
            #expect(try whereabouts("revoke", "weekend").status == 0)
            #expect(try installation.ask(viewer).status == Installation.refusedStatus)
            #expect(try whereabouts("grants", "--json").output.contains(#""state":"revoked""#))
            #expect(installation.stop() == [])
            // The link's secret is stored nowhere else.
            let logs = try installation.workspace.everythingLogged()
            let seed = String(try #require(made.link.split(separator: "#").last))
            #expect(!logs.contains(seed))
        }
    }

    @Test func aPasswordComesFromAFile() async throws {
        try await withInstallation { installation in
            try installation.startAll()
            let file = "\(installation.workspace.directory)/password"
            let link = ["link", "--profile", installation.sharerProfile, "--own-name", "Alice", "--json", "--password"]
            try Data("correct horse\nanother line\n".utf8).write(to: URL(filePath: file))
            let ended = try installation.run("whereabouts", link + [file])
            let made = try JSONDecoder().decode(Made.self, from: Data(ended.output.utf8))
            let (right, wrong) = (
                try self.secret(made, password: "correct horse"), try self.secret(made, password: "c")
            )
            for (secret, status) in [(wrong, "404"), (right, "200")] {
                let curl = try Child(
                    "curl",
                    "/usr/bin/curl",
                    [
                        "--silent", "--cacert", installation.workspace.authorityPath, "--write-out", "%{http_code}",
                        "--output", "/dev/null", "\(installation.server)/v1/links/\(secret.address)",
                    ],
                    log: "/dev/null"
                )
                #expect(try curl.waitForEnd(within: 20).output == status)
            }
            // Errors: a password that is too short, no terminal, no file.
            try Data("short\n".utf8).write(to: URL(filePath: file))
            #expect(try installation.run("whereabouts", link + [file]).status == 1)
            #expect(try installation.run("whereabouts", link + ["ask"]).status == 64)
            #expect(try installation.run("whereabouts", link + ["\(file).not"]).status == 1)
            #expect(installation.stop() == [])
        }
    }
}

internal import Foundation
internal import Rig
internal import Testing

extension BrowserTests {
    /// Tests of `locationctl web` and `whereabouts web` in real browsers, with the real programs.
    @Suite(.enabled(if: BrowserScripts.areThere, "dev/dependencies installs chromium-driver and firefox-esr"))
    struct ConsoleTests {
        /// Goal: the owner sees the device, answers a prompt and changes a setting.
        ///
        /// Other users cannot open the page.
        @Test(.timeLimit(.minutes(4)), arguments: ["chromium", "firefox"])
        func theOwnerOfADeviceSeesAndDecides(_ browser: String) async throws {
            try await withInstallation { installation in
                try installation.startReceiver()
                try installation.startGateway()
                try installation.startServer()
                try installation.startLocationd()
                try installation.installApp()
                let trust = installation.workspace.authorityPath
                try installation.runApp(
                    "--",
                    "--server",
                    installation.server,
                    "--trust-roots",
                    trust,
                    until: "waiting for your permission"
                )
                let address = try installation.beginWeb("locationctl")
                let log = "\(installation.workspace.directory)/browser.log"
                let shown = try BrowserScripts.run("device.py", [browser, address], log: log)
                #expect(shown == "shown\n")
                let settings = try installation.run("locationctl", ["settings", "--json"]).output
                #expect(settings.contains(#""location":"ALWAYS","precise":true"#), "\(settings)")
                let token = try #require(address.split(separator: "=").last.map(String.init))
                #expect(installation.stop() == [])
                #expect(try !installation.workspace.everythingLogged().contains(token))
            }
        }

        /// Goal: Bob asks on his page; Alice answers, invites, creates a link and revokes on hers.
        ///
        /// No page contains a secret key.
        @Test(.timeLimit(.minutes(4)), arguments: ["chromium", "firefox"])
        func twoPeopleAskAnswerExchangeGrantsAndRevoke(_ browser: String) async throws {
            try await withInstallation { installation in
                try installation.startAll()
                let bob = try installation.makeRequester("bob")
                try installation.approve(bob, options: ["--ask-me"])
                let accepted = try installation.run(
                    "whereabouts",
                    ["accept", bob.grant, "--yes", "--name", "Alice", "--profile", bob.profile]
                )
                #expect(accepted.status == 0, "\(accepted.output)")
                let bobs = try installation.beginWeb("whereabouts", options: ["--profile", bob.profile])
                let alices = try installation.beginWeb(
                    "whereabouts",
                    options: ["--profile", installation.sharerProfile]
                )
                let log = "\(installation.workspace.directory)/browser.log"
                let page = try BrowserScripts.run("person.py", [browser, bobs, alices], log: log)
                let key = try String(contentsOfFile: "\(installation.sharerProfile)/identity.key", encoding: .utf8)
                #expect(key.count > 40 && page.contains("Send this line") && !page.contains(key.prefix(40)))
                let grants = try installation.run("whereabouts", ["grants", "--profile", installation.sharerProfile])
                #expect(grants.output.contains("revoked"))
                #expect(installation.stop() == [])
                let logged = try installation.workspace.everythingLogged()
                let linkKey = try #require(page.split(separator: "\n").first)
                #expect(linkKey.count == 44 && !logged.contains(linkKey))
                for address in [bobs, alices] {
                    #expect(try !logged.contains(#require(address.split(separator: "=").last)))
                }
            }
        }
    }
}

/// The page of a person as a program reads it.
@Suite struct PersonPageTests {
    /// Goal: the page shows the profile at once, although the server, which knows the devices, is unreachable.
    @Test(.timeLimit(.minutes(2))) func thePageDoesNotWaitForTheServer() async throws {
        try await withInstallation { installation in
            let folder = installation.workspace.directory
            let alone = ["--profile", "\(folder)/alone"]
            let made = try installation.run(
                "whereabouts",
                ["identity", "create", "--server", "https://localhost:1"] + alone
            )
            #expect(made.status == 0, "\(made.output)")
            let address = try installation.beginWeb("whereabouts", options: alone)
            func curl(_ arguments: String...) throws -> Child {
                try Child("curl", "/usr/bin/curl", ["--silent", "--no-buffer"] + arguments, log: "/dev/null")
            }
            let page = try curl("--cookie-jar", "\(folder)/jar", "--write-out", "%{redirect_url}", address)
                .waitForEnd(within: 20).output
            let events = try curl("--cookie", "\(folder)/jar", "\(page)events")
            defer { events.kill() }
            _ = try events.waitForLine(within: 60) { $0 == "event: friends" }
            let start = ContinuousClock.now
            _ = try events.waitForLine(within: 60) { $0 == "event: devices" }
            // The program tries to reach the server for up to ten seconds.
            #expect(start.duration(to: .now) > .seconds(3))
            let trouble = try events.waitForLine(within: 20) { $0.hasPrefix("data: ") }
            #expect(trouble.contains(#""trouble":"https:\/\/localhost:1 cannot be reached"#), "\(trouble)")
        }
    }
}

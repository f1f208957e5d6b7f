internal import Foundation
internal import Rig
internal import Testing

extension BrowserTests {
    /// Tests the page that opens a link: its script in node, the page in real browsers, and finally with the real
    /// programs.
    @Suite(
        .enabled(if: BrowserScripts.areThere, "dev/dependencies installs nodejs, chromium-driver and firefox-esr")
    )
    struct ViewerTests {
        private static func withLog(_ body: @Sendable (String) throws -> Void) async throws {
            let log = FileManager.default.temporaryDirectory.appending(path: "wa-viewer-\(UUID().uuidString).log")
                .path(percentEncoded: false)
            try await OwnThread.run {
                defer { try? FileManager.default.removeItem(atPath: log) }
                try body(log)
            }
        }

        /// HPKE and HKDF with the RFCs' test vectors, and messages with ours.
        @Test(.timeLimit(.minutes(1))) func theScriptAgreesWithTheVectors() async throws {
            try await Self.withLog { log in
                let output = try BrowserScripts.run(
                    program: "node",
                    ["--test", "\(BrowserScripts.folder)/viewer.test.js"],
                    log: log
                )
                #expect(output.contains("# pass 17") && output.contains("# fail 0"), "\(output)")
            }
        }

        /// Goal: the page names the fault of a link, a server, a clock, the network or an old browser.
        ///
        /// The script also opens two tabs, and measures the time to the first answer on the screen.
        @Test(.timeLimit(.minutes(3)), arguments: ["chromium", "firefox"])
        func thePageSaysWhatIsWrong(_ browser: String) async throws {
            try await Self.withLog { log in
                let output = try BrowserScripts.run("pages.py", [browser], log: log)
                let checks = try #require(output.firstMatch(of: /: ([0-9]+) checks/)).1
                #expect(try #require(Int(checks)) >= 79 && output.contains("ms after its arrival"), "\(output)")
                print(output)
            }
        }

        /// Goal: a killed test run leaves no browser running.
        @Test(.timeLimit(.minutes(1)), arguments: ["chromium", "firefox"])
        func aBrowserEndsWithItsTest(_ browser: String) async throws {
            try await Self.withLog { log in
                let output = try BrowserScripts.run("ends.py", [browser], log: log)
                #expect(output == "ended\n" || output == "goes on: no PID namespaces\n", "\(output)")
            }
        }

        @Test(.timeLimit(.minutes(5)), arguments: ["chromium", "firefox"])
        func aLinkIsOpenedAnsweredFollowedAndRevoked(_ browser: String) async throws {
            try await withInstallation { installation in
                try installation.startAll()
                let terms = ["--for", "1h", "--uses", "5", "--follow", "10m"]
                let link = try installation.makeLink(named: "weekend", options: terms)
                let key = try #require(link.split(separator: "#").last.map(String.init))
                #expect(key.count == 43)
                let log = "\(installation.workspace.directory)/browser.log"
                let open = { (outcome: String) in
                    try BrowserScripts.run("link.py", [browser, link, outcome], log: log)
                }
                let same = try installation.verifyViewer()
                #expect(same.status == 0 && same.output.hasPrefix("the same page: SHA-256 "), "\(same.output)")
                let shown = try open("followed")
                #expect(
                    shown.contains("weekend") && shown.contains("5 of 5 left") && shown.contains("3 of 5 left")
                        && shown.contains("within"),
                    "\(shown)"
                )
                try installation.waitForEvents("push-completed", count: 2)
                try installation.revokeLink("weekend")
                _ = try open("gone")
                #expect(installation.stop() == [])
                #expect(try !installation.workspace.everythingLogged().contains(key))
                // After the link is made, the sharer does not need the key; the server never has it.
                let directory = installation.workspace.directory
                for file in FileManager.default.enumerator(atPath: directory)?.compactMap({ $0 as? String }) ?? [] {
                    let bytes = FileManager.default.contents(atPath: "\(directory)/\(file)") ?? Data()
                    #expect(bytes.range(of: Data(key.utf8)) == nil, "\(file)")
                }
            }
        }
    }
}

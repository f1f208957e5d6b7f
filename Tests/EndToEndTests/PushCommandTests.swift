internal import Foundation
internal import Rig
internal import Testing

/// Tests `whereabouts push` against a running gateway: its output and exit codes.
@Suite(.timeLimit(.minutes(1))) struct PushCommandTests {
    private static func arguments(_ installation: Installation, _ more: [String]) -> [String] {
        let workspace = installation.workspace
        return [
            "push", "--to", "localhost:\(installation.providerPort ?? 1)", "--trust-roots", workspace.authorityPath,
            "--key", workspace.providerKeyPath, "--team-id", Workspace.teamID, "--app", "com.example.FindFriends",
        ] + (more.contains("--key-id") ? [] : ["--key-id", Workspace.keyID]) + more
    }

    @Test func aGatewaySaysWhatItThinks() async throws {
        try await withInstallation { installation in
            try installation.startGateway()
            func push(_ more: String...) throws -> Child.Ended {
                try installation.run("whereabouts", Self.arguments(installation, more))
            }
            let checked = try push("--check")
            #expect(checked.status == 0 && checked.output.hasPrefix("checked: localhost:"), "\(checked.output)")
            let stranger = try push("--check", "--key-id", "OTHERKEY00")
            #expect(stranger.status == 3 && stranger.output.contains("403 InvalidProviderToken"))
            let nobody = try push("--token", "0011")
            #expect(nobody.status == 3 && nobody.output.contains("400 BadDeviceToken"))
            struct Report: Decodable {
                let outcome: String
                let reason: String?
                let statusCode: Int?
            }
            let json = try push("--token", "0011", "--json").output
            let report = try JSONDecoder().decode(Report.self, from: Data(json.utf8))
            #expect(report.outcome == "rejected" && report.reason == "BadDeviceToken" && report.statusCode == 400)
        }
    }

    /// Goal: the exit code tells a script that a push was accepted, but may not start anything.
    @Test func findingsOfACheckHaveAnExitCode() async throws {
        try await withInstallation { installation in
            try installation.startGateway()
            func check(_ more: String...) throws -> Child.Ended {
                try installation.run("whereabouts", Self.arguments(installation, ["--check"] + more))
            }
            let odd = try check("--priority", "5")
            #expect(odd.status == 2 && odd.output.hasPrefix("checked: localhost:"), "\(odd.output)")
            #expect(odd.output.contains("look priority") && odd.output.contains("not proven:"), "\(odd.output)")
            // The server's rejection has priority over the findings.
            let stranger = try check("--priority", "5", "--key-id", "OTHERKEY00")
            #expect(stranger.status == 3 && stranger.output.contains("look priority"), "\(stranger.output)")
            let place = installation.workspace.providerKeyPath
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place)
            let open = try check()
            #expect(open.status == 2 && open.output.contains("chmod 600"), "\(open.output)")
        }
    }

    @Test func aServerThatIsNotThereIsSaid() async throws {
        try await withInstallation { installation in
            let port = try Loopback.freePort()
            var arguments = Self.arguments(installation, ["--check"])
            arguments[2] = "localhost:\(port)"
            let ended = try installation.run("whereabouts", arguments)
            #expect(ended.status == 5 && ended.output.contains("nothing listens there"), "\(ended.output)")
        }
    }

    /// Goal: a reader that closes the pipe early is not reported as a full disk, even if SIGPIPE is ignored, as
    /// networking libraries do.
    @Test(arguments: [true, false]) func aReaderThatGoesEndsItQuietly(_ isReaderGone: Bool) async throws {
        try await withInstallation { installation in
            let arguments = Self.arguments(installation, ["--dry-run", "--token", "00FF"])
            let words = arguments.map { "'\($0)'" }.joined(separator: " ")
            let place = installation.workspace.directory
            let script = """
                trap '' PIPE; cd '\(place)'; mkfifo pipe; exec 3<>pipe 4>\(isReaderGone ? "pipe" : "/dev/full") 3<&-
                '\(try Binaries().path("whereabouts"))' \(words) >&4 2>errors; echo $?; cat errors
                """
            let ended = try Child("sh", "/bin/sh", ["-c", script], log: "\(place)/sh.log").waitForEnd(within: 30)
            let lines = ended.output.split(separator: "\n")
            #expect(lines.first == (isReaderGone ? "141" : "74") && lines.count == (isReaderGone ? 1 : 2), "\(lines)")
            #expect(isReaderGone || lines.last?.contains("free space") == true, "\(lines)")
        }
    }

    /// Goal: `push` can print a request and find mistakes without a server.
    @Test func aDryRunSendsNothing() async throws {
        try await withInstallation { installation in
            func dryRun(_ more: String...) throws -> Child.Ended {
                try installation.run(
                    "whereabouts",
                    Self.arguments(installation, ["--dry-run", "--token", "00FF"] + more)
                )
            }
            let shown = try dryRun("--expires", "0s", "--payload", #"{"a":1}"#)
            #expect(shown.status == 0)
            for line in [
                ":path: /3/device/00ff", "apns-topic: com.example.FindFriends.location-query", "apns-expiration: 0",
                "apns-priority: 10", #"{"a":1}"#,
            ] { #expect(shown.output.contains(line + "\n"), "\(line) in \(shown.output)") }
            let mistake = try dryRun("--type", "background", "--priority", "10")
            #expect(mistake.status == 3 && mistake.output.contains("BadPriority"))
            #expect(try dryRun("--payload", "[]").status == 64)
            #expect(try dryRun("--priority", "7").status == 64)
            #expect(try installation.run("whereabouts", Self.arguments(installation, [])).status == 64)
        }
    }
}

internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsAPNS
internal import WhereaboutsLocationWireMessages

/// `locationctl push`.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a test push to an app's extension, without the gateway; or explain what would block it.",
        discussion: """
            This device handles the push like any other: checks it, charges it to the push budget, and counts its outcome.
            With --dry-run nothing is sent: each check is shown with its remedy; the exit status is 1 if a check fails.
            """
    )

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @Option(help: ArgumentHelp("The payload: a JSON object, or a file with one.", valueName: "JSON|file"))
    var payload = "{}"
    @Option(help: "Priority 10: at once; 5: when something else wakes the device, or after a while; 1: while awake.")
    var priority: UInt32 = 10
    @Flag(help: "Explain what would happen, and send nothing.") var dryRun = false
    @Flag(help: "Print the checks as JSON, one object per line.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard Priority(rawValue: Int(self.priority)) != nil else {
            throw ValidationError("--priority must be 10, 5 or 1, not \(self.priority)")
        }
        if self.json, !self.dryRun { throw ValidationError("--json prints checks; it goes with --dry-run") }
    }

    func run() throws {
        let payload = try self.readPayload()
        let reply = try self.daemon.ask(
            .with {
                $0.push = .with {
                    $0.bundle = self.bundle
                    $0.payload = payload
                    $0.priority = self.priority
                    $0.dryRun = self.dryRun
                }
            }
        )
        switch reply.body {
        case .done(let done): print(done.message)
        case .pushChecks(let checks): try self.show(checks.checks)
        default: break
        }
    }

    private func show(_ checks: [WirePushCheck]) throws {
        for check in checks {
            if self.json {
                print(try check.json)
            } else {
                print("\(check.isMet ? "✓" : "✗") \(check.text)\(check.isMet ? "" : "\n    \(check.remedy)")")
            }
        }
        if checks.contains(where: { !$0.isMet }) { throw ExitCode.failure }
    }

    private func readPayload() throws -> Data {
        // A payload has at most 5,120 bytes; reading a little more of a file suffices to report that it is too long.
        let most = 64 * 1024
        if self.payload.drop(while: \.isWhitespace).hasPrefix("{") { return Data(self.payload.utf8.prefix(most)) }
        guard let file = FileHandle(forReadingAtPath: self.payload), let data = try? file.read(upToCount: most) else {
            throw Refused("\(self.payload) is neither a JSON object nor a file that can be read")
        }
        return data
    }
}

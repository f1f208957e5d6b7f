internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl install`.
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install an app, or a new version of it; asks whether it may have the entitlements it wants.",
        discussion: """
            The entitlements com.apple.developer.location.push and aps-environment let an app be woken by location \
            pushes. They take effect only if you approve them here, for exactly the files installed.
            """
    )

    @Argument(help: "The bundle, Name.app.", completion: .directory) var path: String
    @Flag(help: "Approve the entitlements the app asks for, without asking.") var approveEntitlements = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let path = self.url.standardizedFileURL.path
        let wanted = try EntitlementFiles.wanted(by: path)
        let approved = try wanted.isEmpty || self.approveEntitlements ? wanted : self.ask(wanted)
        try self.daemon.order(
            .with {
                $0.install = .with {
                    $0.path = path
                    $0.approvedEntitlements = approved
                }
            },
            // Leave time to copy and hash a large app on a slow memory card.
            within: 120
        )
    }

    private func ask(_ wanted: [String]) throws -> [String] {
        guard isatty(0) == 1 else {
            throw Refused(
                "\(self.path) asks for \(wanted.joined(separator: " and ")); approve with --approve-entitlements, "
                    + "or run this on a terminal to be asked"
            )
        }
        print("\(self.url.lastPathComponent) asks for:")
        for entitlement in wanted { print("  \(entitlement)") }
        print("Approve? [y/N] ", terminator: "")
        fflush(nil)
        guard let answer = readLine() else {
            print("")
            throw Refused("nothing is installed without an answer; answer y or n, or give --approve-entitlements")
        }
        guard ["y", "yes"].contains(answer.lowercased()) else {
            print("not approved: the app is installed without them, and gets no location pushes")
            return []
        }
        return wanted
    }

    private var url: URL { URL(fileURLWithPath: self.path) }
}

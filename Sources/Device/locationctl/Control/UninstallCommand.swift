internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// `locationctl uninstall`.
struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Remove an app, its container and its permissions; asks first.",
        discussion: """
            The container holds the only copy of the app's data: of a sharing app, the identity, and with it every grant \
            that was given to friends. This cannot be undone.
            """
    )

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @Flag(help: "Remove it without asking.") var yes = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        // Do not ask about an app that is not installed; locationd reports that.
        guard try self.yes || !self.isInstalled() || self.isWanted() else { return print("nothing is removed") }
        try self.daemon.order(.with { $0.uninstall = .with { $0.bundle = self.bundle } })
    }

    private func isInstalled() throws -> Bool {
        let reply = try self.daemon.ask(.with { $0.status = .init() })
        let status = reply.status
        return status.apps.contains { $0.bundle == self.bundle } || status.broken.contains { $0.bundle == self.bundle }
    }

    private func isWanted() throws -> Bool {
        guard isatty(0) == 1 else {
            throw Refused(
                "removing \(self.bundle) deletes its container, which may have the only copy of data such as an "
                    + "identity and its grants; confirm with --yes, or run this on a terminal"
            )
        }
        print(
            "\(PlainText.of(self.bundle)) is removed with its container, which may have the only copy of data: an identity, grants."
        )
        print("Remove? [y/N] ", terminator: "")
        fflush(nil)
        return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
    }
}

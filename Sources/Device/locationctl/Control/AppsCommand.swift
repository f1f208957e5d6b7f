internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl apps`.
struct AppsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List the installed apps, their location access, and whether they run."
    )

    @OptionGroup var daemon: DaemonOptions
    @Flag(help: "Print JSON, one object per line.") var json = false

    func run() throws {
        guard case .status(let status) = try self.daemon.ask(.with { $0.status = .init() }).body else { return }
        if self.json {
            for app in status.apps { print(try app.json) }
            return
        }
        if status.apps.isEmpty, status.broken.isEmpty {
            return print("no app is installed; `locationctl install Name.app` installs one")
        }
        let rows =
            [["APP", "NAME", "AUTHORIZATION", "PROCESS", "PUSHES"]]
            + status.apps.map { app in
                [app.bundle, app.name, app.authorization.words, app.process, app.monitorsPushes ? "yes" : "no"]
            } + status.broken.map { [$0.bundle, "", "", "not served: locationctl status tells why"] }
        print(Table(rows: rows))
    }
}

internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the location sources, the push gateway, open prompts, indicators, and every app."
    )

    @OptionGroup var daemon: DaemonOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        guard case .status(let status) = try self.daemon.ask(.with { $0.status = .init() }).body else { return }
        print(self.json ? try status.json : status.text)
    }
}

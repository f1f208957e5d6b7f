internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl pushes`.
struct PushesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushes",
        abstract: "Show the outcome of location pushes: per app, in total, and the most recent ones with reasons.",
        discussion: """
            The push service tells a provider only that it accepted a push. This command shows what happened then: how many reached \
            the device, were handed to the extension, completed, abandoned by it, replaced by a newer one, or refused, and why.
            The counters begin when locationd creates its state directory. The budget is shown to you only; apps cannot read it.
            --metrics writes the counters in the text format of Prometheus, for node_exporter's textfile collector.
            """
    )

    @Option(name: .shortAndLong, help: "How many of the last pushes to list, 0 to 100.") var lines = 10
    @Flag(help: "Print JSON.") var json = false
    @Flag(help: "Print the counters in Prometheus' text format.") var metrics = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (0...100).contains(self.lines) else {
            throw ValidationError("--lines must be 0 to 100, not \(self.lines)")
        }
        if self.json, self.metrics { throw ValidationError("--json and --metrics exclude each other") }
    }

    func run() throws {
        guard case .pushes(var pushes) = try self.daemon.ask(.with { $0.pushes = .init() }).body else { return }
        if self.metrics { return print(PushMetrics(pushes).text) }
        pushes.recent = pushes.recent.suffix(self.lines)
        print(self.json ? try pushes.json : pushes.text)
    }
}

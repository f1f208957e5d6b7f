internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl demo`.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Try everything on a made-up walk: an app asks for its location, and you answer.",
        discussion: """
            Starts a locationd of its own that plays a walk, installs an app that prints each position, and shows the app's prompt: answer \
            with the number of a choice. Your own locationd, its apps and receivers are not touched. q, Ctrl-C or the end of the input ends \
            the demo and removes all of it.
            """
    )

    // locationd starts the demo app with this flag.
    @Flag(help: .hidden) var asApp = false

    func run() throws {
        guard !self.asApp else { DemoApp.run() }
        let stage = try DemoStage()
        defer { stage.remove() }
        let place = ["--runtime", stage.runtime]
        let daemon = try DaemonOptions.parse(place)
        try stage.wait { (try? daemon.ask(.with { $0.status = .init() }, within: 1)) != nil }
        _ = try daemon.ask(.with { $0.install = .with { $0.path = stage.bundle } })
        StandardOutput.show("A locationd plays a walk, and the app \(DemoStage.name) asks where the device is.\n")
        _ = try daemon.ask(.with { $0.run = .with { $0.bundle = DemoStage.identifier } })
        try AgentCommand.parse(place).run()
    }
}

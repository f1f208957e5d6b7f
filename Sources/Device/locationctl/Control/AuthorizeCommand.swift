internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl authorize`.
struct AuthorizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize",
        abstract: "Decide when an app may know the location: short for `settings BUNDLE location …`."
    )

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @Argument(help: "never, ask (the app may ask the next time), while-using, or always.") var decision: LocationSetting
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        _ = try self.daemon.ask(
            .with {
                $0.settings = .with {
                    $0.bundle = self.bundle
                    $0.location = self.decision.wire
                }
            }
        )
        print("\(self.bundle): \(self.decision.rawValue)")
    }
}

internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl authorize`.
struct AuthorizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize",
        abstract: "Decide when an app may know the location: short for `settings BUNDLE location …`."
    )

    /// The decisions an owner may take about an app.
    enum Decision: String, ExpressibleByArgument, CaseIterable {
        /// At any time.
        case always
        /// While the app is in use.
        case whenInUse = "when-in-use"
        /// Never.
        case deny
        /// As if it never asked.
        case reset
    }

    @Argument(help: "The app's bundle identifier.") var bundle: String
    @Argument(help: "always, when-in-use, deny, or reset (the app may ask again).") var decision: Decision
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        _ = try self.daemon.ask(
            .with {
                $0.settings = .with {
                    $0.bundle = self.bundle
                    $0.location =
                        switch self.decision {
                        case .always: .always
                        case .whenInUse: .whileUsing
                        case .deny: .never
                        case .reset: .askNextTime
                        }
                }
            }
        )
        print("\(self.bundle): \(self.decision.rawValue)")
    }
}

internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl power`.
struct PowerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power",
        abstract: "Show how long each source of positions was on, and the energy of its receiver.",
        discussion: """
            Counted since locationd began. The energy is estimated from a satellite receiver's 96 mW until its first position and \
            87 mW from then on (u-blox SAM-M8Q data sheet); the consumption of programs is unknown.
            """
    )

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        guard case .power(let power) = try self.daemon.ask(.with { $0.power = .init() }).body else { return }
        print(self.json ? try power.json : power.text)
    }
}

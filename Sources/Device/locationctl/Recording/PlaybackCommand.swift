internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages

/// `locationctl playback`.
struct PlaybackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playback",
        abstract: "Show or change how locationd plays the recording of its --replay.",
        discussion: "A paused device stays where it is, and its apps keep receiving that position."
    )

    @Flag(help: "Pause at the current position.") var pause = false
    @Flag(help: "Resume.") var resume = false
    @Option(help: ArgumentHelp("How many times faster than recorded, 0.01 to 1000.", valueName: "factor"))
    var speed: Double?
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if self.pause, self.resume { throw ValidationError("--pause and --resume exclude each other") }
        if let speed, !Playback.speeds.contains(speed) {
            throw ValidationError("--speed must be 0.01 to 1000, not \(speed)")
        }
    }

    func run() throws {
        try self.daemon.order(
            .with {
                $0.playback = .with {
                    if self.pause || self.resume { $0.paused = self.pause }
                    if let speed { $0.speed = speed }
                }
            }
        )
    }
}

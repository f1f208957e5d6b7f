internal import ArgumentParser
internal import Foundation

/// `soak`: the push path under load for minutes, while its parts die.
@main
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract:
            "Push for minutes while connections, gateway and locationd die; exit with 1 when one was lost or came twice."
    )

    @Option(help: ArgumentHelp("The duration of the run.", valueName: "seconds"))
    var seconds = 600

    @Option(help: ArgumentHelp("The number of devices besides locationd's.", valueName: "count"))
    var devices = 250

    @Option(help: "The seed of all random choices.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (10...86_400).contains(self.seconds) else { throw ValidationError("--seconds takes 10 to 86400") }
        guard (1...1000).contains(self.devices) else { throw ValidationError("--devices takes 1 to 1000") }
    }

    func run() async throws {
        let soak = Soak(duration: .seconds(self.seconds), devicesCount: self.devices, seed: self.seed)
        let report = try await soak.run()
        try FileHandle.standardOutput.write(contentsOf: Data("\(report)\n".utf8))
        if !report.complaints.isEmpty { throw ExitCode.failure }
    }
}

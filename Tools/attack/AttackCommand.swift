internal import ArgumentParser
internal import Foundation

/// `attack`: attacks real processes on loopback, and prints the honest party's service before, under and after each attack.
@main
struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Attack this build's programs on loopback; exit with 1 if an honest party was not served."
    )

    @Argument(help: ArgumentHelp("The attacks to run. [default: all]", valueName: "name"))
    var names: [String] = []

    @Option(help: ArgumentHelp("How long each attack lasts.", valueName: "seconds"))
    var seconds = 10

    @Flag(help: "List the attacks, and run none.")
    var list = false

    /// An attack on the device installs this executable as its app.
    @Option(help: .hidden)
    var asApp: HostileApp.Role?

    /// With this option, this executable gives the owner's orders inside the namespaces of a locationd.
    @Option(help: .hidden)
    var asOwner: String?

    func validate() throws {
        guard (1...600).contains(self.seconds) else { throw ValidationError("--seconds takes 1 to 600") }
        for name in self.names where AttackList.named(name) == nil {
            throw ValidationError("'\(name)' is not an attack; --list prints all attacks")
        }
    }

    func run() async throws {
        if let role = self.asApp {
            var app = try HostileApp()
            try app.run(role)
        }
        if let runtime = self.asOwner { try await OwnerInside.serve(runtime: runtime) }
        let attacks = self.names.isEmpty ? AttackList.all : self.names.compactMap { AttackList.named($0) }
        var isBroken = false
        for attack in attacks {
            if self.list {
                print("\(attack.name): \(attack.attempt) (threat model: \(attack.row))")
                continue
            }
            if let obstacle = attack.obstacle {
                try FileHandle.standardOutput.write(contentsOf: Data("\(attack.name): skipped: \(obstacle)\n".utf8))
                continue
            }
            let trial = try await Trial.run(attack) { [seconds] in .whole(.seconds(seconds)) }
            isBroken = isBroken || !trial.complaints.isEmpty
            try FileHandle.standardOutput.write(contentsOf: Data("\(trial)\n".utf8))
        }
        if isBroken { throw ExitCode.failure }
    }
}

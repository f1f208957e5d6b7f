internal import ArgumentParser
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsConsole
internal import WhereaboutsLocationWireMessages

/// `locationctl web`.
struct WebCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Show this device in a browser on this machine.",
        discussion: """
            Prints an address and runs until Ctrl-C. The address works once, in one browser. The page shows what \
            status, settings, pushes, power and log print, answers prompts as agent does, and changes settings. While \
            a page is open, it counts as an agent; while it shows the position, the receiver is on.
            """
    )

    @Option(help: "Port on 127.0.0.1; 0 chooses a free one.") var port: UInt16 = 0
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        // Fail at once if locationd cannot be reached, or refuses this user.
        _ = try self.daemon.ask(.with { $0.status = .init() })
        // Keep running when a browser closes a connection.
        signal(SIGPIPE, SIG_IGN)
        do {
            try ConsoleServer(DeviceSite(daemon: self.daemon)).run(port: Int(self.port)) { address in
                StandardOutput.show(address + "\n")
            }
        } catch {
            throw Refused(
                "--port \(self.port): cannot listen on 127.0.0.1. Choose a free port, or leave --port out."
            )
        }
    }
}

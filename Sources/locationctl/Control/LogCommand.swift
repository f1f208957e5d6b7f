internal import ArgumentParser
internal import Foundation
internal import LocationWireMessages
internal import SwiftProtobuf

/// `locationctl log`.
struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show which app was given the location when, and what became of each push. Holds no positions."
    )

    @Option(name: .shortAndLong, help: "How many lines, 1 to 250.") var lines = 50
    @Option(help: "Only this app's.") var bundle = ""
    @Flag(help: "Print JSON, an object a line.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (1...250).contains(self.lines) else {
            throw ValidationError("--lines must be 1 to 250, not \(self.lines)")
        }
    }

    func run() throws {
        let reply = try self.daemon.ask(
            .with {
                $0.log = .with {
                    $0.last = UInt32(self.lines)
                    $0.bundle = self.bundle
                }
            }
        )
        guard case .log(let log) = reply.body else { return }
        let format = ISO8601DateFormatter()
        format.timeZone = .current
        for line in log.lines {
            if self.json {
                print(try line.jsonString())
            } else {
                let date = format.string(from: Date(timeIntervalSince1970: Double(line.time) / 1e6))
                print("\(date)  \(line.bundle.isEmpty ? "(device)" : line.bundle)  \(line.text)")
            }
        }
    }
}

internal import ArgumentParser
internal import Foundation
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf

/// `locationctl doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what is missing or unsafe on this device, and what helps.",
        discussion: """
            The receiver is on meanwhile, for \(Self.trialSeconds) s at most, so that its state is known.

            Exit status: 0 nothing is in trouble, 1 something is, or locationd is not reached; 64 wrong usage.
            """
    )

    /// How long a receiver may take to say what it does.
    ///
    /// Source: our choice; receivers speak once a second, and a port that nobody listens at refuses at once.
    private static let trialSeconds = 4

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let report: DoctorReport
        do {
            report = try self.report()
        } catch let error as Refused where self.json {
            report = DoctorReport(unreached: error.description)
        }
        print(self.json ? try JSONText.of(report) : report.text(isColoured: isatty(STDOUT_FILENO) == 1))
        if report.troubles > 0 { throw ExitCode.failure }
    }

    private func report() throws -> DoctorReport {
        let trial = try self.tryReceiver()
        // The receiver is off as soon as nobody needs it, and its state is that, then.
        let reply = try withExtendedLifetime(trial) { try self.daemon.ask(.with { $0.diagnosis = .init() }) }
        guard case .diagnosis(let diagnosis) = reply.body else { throw Refused("another reply came") }
        return DoctorReport(diagnosis)
    }

    /// Has locationd run its sources until one says a position, or the time is over.
    ///
    /// - Returns: the connection, as long as which they run.
    private func tryReceiver() throws -> PacketSocket {
        let (socket, _) = try self.daemon.connect(.with { $0.record = .init() })
        let end = ContinuousClock.now.advanced(by: .seconds(Self.trialSeconds))
        while case let left = ContinuousClock.now.duration(to: end), left > .zero {
            if try self.daemon.next(on: socket, within: Int32(left / .milliseconds(1)) + 1) != nil { break }
        }
        return socket
    }
}

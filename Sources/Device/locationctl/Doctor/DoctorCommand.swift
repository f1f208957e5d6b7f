internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Report problems of this device and their remedies.",
        discussion: """
            The receiver is switched on for up to 4 s to find its state.

            Exit status: 0 no problem, 1 a problem, or locationd cannot be reached, 64 wrong usage.
            """
    )

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let report: WireDiagnosis
        do {
            report = try self.report()
        } catch let error as Refused where self.json {
            report = WireDiagnosis(unreached: error.description)
        }
        print(self.json ? try report.json : report.text(isColoured: Self.showsColours))
        if report.troubles > 0 { throw ExitCode.failure }
    }

    /// Whether standard output is a terminal with colours, and the person has not disabled them (https://no-color.org).
    private static var showsColours: Bool {
        let environment = ProcessInfo.processInfo.environment
        let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
        return !isPlain && isatty(STDOUT_FILENO) == 1
    }

    private func report() throws -> WireDiagnosis {
        let reply = try self.daemon.ask(.with { $0.diagnosis = .init() })
        guard case .diagnosis(let diagnosis) = reply.body else { throw Refused("locationd sent an unexpected reply") }
        return diagnosis
    }
}

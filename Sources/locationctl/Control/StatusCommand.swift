internal import ArgumentParser
internal import Foundation
internal import LocationWireMessages
internal import SwiftProtobuf

/// `locationctl status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show where fixes come from, the push gateway, and every app."
    )

    @OptionGroup var daemon: DaemonOptions
    @Flag(help: "Print JSON.") var json = false

    func run() throws {
        guard case .status(let status) = try self.daemon.ask(.with { $0.status = .init() }).body else { return }
        if self.json { return print(try status.jsonString()) }
        print("fixes    \(status.source): \(status.sourceState)")
        print("pushes   \(status.gateway.isEmpty ? status.gatewayState : "\(status.gateway): \(status.gatewayState)")")
        for app in status.apps {
            print("")
            print("\(app.name)  \(app.bundle)")
            print("  authorization  \(app.authorization.words)")
            if !app.prompt.isEmpty {
                print("  asked          \(app.prompt)  (answer: locationctl authorize \(app.bundle) …)")
            }
            print("  process        \(app.process)\(app.extensionRunning ? ", extension running" : "")")
            if !app.sessions.isEmpty { print("  sessions       \(app.sessions.joined(separator: ", "))") }
            print("  pushes         \(app.monitorsPushes ? "monitored" : "not monitored")")
            print("  container      \(app.container)")
        }
    }
}

extension Whereabouts_Locationwire_V1_State.Authorization {
    /// The status in words.
    var words: String {
        switch self {
        case .notDetermined: "not determined"
        case .denied: "denied"
        case .restricted: "restricted"
        case .whenInUse: "when in use"
        case .always: "always"
        case .UNRECOGNIZED(let number): "unknown (\(number))"
        }
    }
}

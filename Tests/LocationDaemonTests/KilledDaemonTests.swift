internal import Dispatch
internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Goal: whenever locationd is killed, all acknowledged orders are in force after its restart.
@Suite(.offPool, .timeLimit(.minutes(3))) struct KilledDaemonTests {
    /// The settings of the device and its only app, as requested or as acknowledged.
    private struct Model: Equatable {
        var services = true
        var location = WireAppSettings.Location.askNextTime
        var precise = true

        init() {}

        init(_ settings: WireSettings) throws {
            let app = try #require(settings.apps.first)
            self.services = settings.locationServices
            self.location = app.location
            self.precise = app.precise
        }

        mutating func change(by generator: inout SeededGenerator) -> WireSettingsRequest {
            var request = WireSettingsRequest()
            switch generator.next() % 3 {
            case 0:
                self.services.toggle()
                request.locationServices = self.services
            case 1:
                let all: [WireAppSettings.Location] = [
                    .never, .askNextTime, .whileUsing, .always,
                ]
                self.location = all[Int(generator.next() % 4)]
                request.bundle = DaemonRig.bundle.rawValue
                request.location = self.location
            default:
                self.precise.toggle()
                request.bundle = DaemonRig.bundle.rawValue
                request.precise = self.precise
            }
            return request
        }
    }

    private let scratch: Scratch

    init() throws {
        self.scratch = try Scratch()
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func whatWasAcknowledgedIsThereAfterAKill(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let path = try self.scratch.makeBundle()
        var child = try self.scratch.startLocationd()
        _ = try ControlCall.reply(
            to: .with { $0.install = .with { $0.path = path } },
            in: self.scratch.path + "/run"
        )
        var acknowledged = Model()
        for round in 0..<6 {
            var asked = acknowledged
            let socket = try ControlCall.connect(in: self.scratch.path + "/run")
            // Between the first microseconds and about ten changes.
            let killer = Killer(child.pid, after: Int64(generator.next() % 30_000_000))
            while true {
                let change = asked.change(by: &generator)
                guard let reply = try ControlCall.reply(to: .with { $0.settings = change }, on: socket) else {
                    break
                }
                acknowledged = try Model(reply.settings)
                #expect(acknowledged == asked)
            }
            killer.join()
            _ = try child.waitForEnd(within: 20)
            child = try self.scratch.startLocationd()
            let now = try Model(
                ControlCall.reply(to: .with { $0.settings = .init() }, in: self.scratch.path + "/run").settings
            )
            // The last order may have been carried out without a reply.
            #expect(now == acknowledged || now == asked, "seed \(seed), round \(round)")
            acknowledged = now
        }
        child.terminate()
    }

    /// Kills a process after some nanoseconds, from another thread.
    private final class Killer: Sendable {
        private let done = DispatchSemaphore(value: 0)

        init(_ pid: Int32, after nanoseconds: Int64) {
            let done = self.done
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) {
                kill(pid, SIGKILL)
                done.signal()
            }
        }

        func join() { self.done.wait() }
    }
}

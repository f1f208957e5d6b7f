internal import Foundation
internal import Rig
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsVocabulary

/// A provider's pushes, each with a unique number.
final class Load: Sendable {
    /// The maximum number of pushes a second to one device: below the bound at which the gateway answers 429.
    static let ratePerDevice = 8.0
    /// The pushes under way at a time while the gateway's greatest rate is measured.
    private static let senders = 64

    private let provider: APNSClient
    private let devices: [(device: SoakedDevice, token: DeviceToken)]
    private let installed: Installed
    private let state: Mutex<(generator: SeededGenerator, number: Int)>

    init(
        _ provider: APNSClient,
        _ devices: [(device: SoakedDevice, token: DeviceToken)],
        _ installed: Installed,
        seed: UInt64
    ) {
        self.provider = provider
        self.devices = devices
        self.installed = installed
        self.state = Mutex((SeededGenerator(seed: seed), 0))
    }

    /// The pushes that were sent so far.
    var sent: Int { self.state.withLock { $0.number } }

    /// Sends as many pushes as the gateway accepts.
    ///
    /// - Returns: the pushes that were answered in a second.
    func saturate(for time: Duration) async -> Double {
        let (start, before) = (ContinuousClock.now, self.sent)
        await withDiscardingTaskGroup { group in
            for _ in 0..<Self.senders {
                group.addTask {
                    // Send at least once: on a busy machine, the task may begin after the time is over.
                    repeat { await self.pushToADevice() } while start.duration(to: .now) < time
                }
            }
        }
        return Double(self.sent - before) / (start.duration(to: .now) / .seconds(1))
    }

    /// Sends that many pushes a second to the devices, and two to the app of locationd; returns when the last push is answered.
    func run(rate: Double, for time: Duration) async {
        await withDiscardingTaskGroup { group in
            let start = ContinuousClock.now
            var (sent, sentToApp) = (0.0, 0.0)
            while start.duration(to: .now) < time {
                let seconds = start.duration(to: .now) / .seconds(1)
                while sent < rate * seconds {
                    group.addTask { await self.pushToADevice() }
                    sent += 1
                }
                while sentToApp < 2 * seconds {
                    group.addTask { await self.pushToTheApp() }
                    sentToApp += 1
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func pushToADevice() async {
        let (number, place, draw) = self.state.withLock { state in
            state.number += 1
            return (
                state.number, Int.random(in: self.devices.indices, using: &state.generator),
                Int.random(in: 0..<20, using: &state.generator)
            )
        }
        let (device, token) = self.devices[place]
        // One push in ten expires soon: half of these after a single attempt, the others within two seconds.
        let expiration: Expiration? =
            switch draw {
            case 0: .once
            case 1: .until(Int64(Date.now.timeIntervalSince1970) + 2)
            default: nil
            }
        device.account { $0.began(number, isBrief: expiration != nil) }
        let answer = await self.push(number, to: token, of: SoakedDevice.bundle, expiration)
        device.account { $0.ended(number, answer) }
    }

    private func pushToTheApp() async {
        let number = self.state.withLock { state in
            state.number += 1
            return state.number
        }
        self.installed.account { $0.began(number, isBrief: false) }
        let answer = await self.push(number, to: self.installed.token, of: Installation.bundle, nil)
        self.installed.account { $0.ended(number, answer) }
    }

    private func push(
        _ number: Int,
        to token: DeviceToken,
        of bundle: String,
        _ expiration: Expiration?
    ) async -> PushAccount.Answer {
        // A kilobyte, about the size of a sealed request.
        let text = #"{"number":\#(number),"sealed":"\#(String(repeating: "a", count: 1000))"}"#
        guard let payload = try? PushPayload(json: Array(text.utf8)) else { return .refused }
        let push = Push(
            .location,
            token: token,
            bundleIdentifier: bundle,
            payload: payload,
            expiration: expiration
        )
        return switch await self.provider.send(push) {
        case .accepted(let accepted): .accepted(apnsID: accepted.apnsID)
        case .rejected: .refused
        case .failed(let error): error.mayHaveBeenAccepted ? .unknown : .refused
        }
    }
}

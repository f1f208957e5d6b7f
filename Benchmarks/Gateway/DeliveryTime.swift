internal import Foundation
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// The delivery time at half the gateway's greatest load: from the provider's call until the device has the push.
///
/// The reference is the time until a bare server has answered as many pushes, at the same pace, from the same client.
enum DeliveryTime {
    private static let seconds = 5
    /// How many times a second pushes are sent.
    private static let beats = 200

    /// Returns the time within which 99 of 100 arrive.
    static func figure(
        _ fleet: Fleet,
        rate: Double,
        gateway: APNSClient,
        bare: APNSClient
    ) async throws -> Figure {
        let each = max(1, Int(rate / Double(Self.beats)))
        _ = fleet.takeWays()
        _ = try await Self.send(each, fleet.tokens, gateway)
        let deadline = ContinuousClock.now.advanced(by: .seconds(30))
        var ways: [Double] = []
        while ways.count < each * Self.beats * Self.seconds, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
            ways += fleet.takeWays()
        }
        guard ways.count == each * Self.beats * Self.seconds else {
            throw RigError("the gateway", "delivered \(ways.count) of \(each * Self.beats * Self.seconds) pushes")
        }
        let answers = try await Self.send(each, fleet.tokens, bare)
        let reference = answers.quantile(0.99)
        return Figure(
            name: "delivery-p99",
            value: ways.quantile(0.99),
            unit: "ms at \(each * Self.beats) pushes/s",
            ratio: ways.quantile(0.99) / reference,
            reference: "answers of a bare server on NIO (\(String(format: "%.1f", reference)) ms)"
        )
    }

    /// Sends at a fixed pace, without waiting for answers; returns the milliseconds until each answer.
    private static func send(_ each: Int, _ tokens: [DeviceToken], _ client: APNSClient) async throws -> [Double] {
        try await withThrowingTaskGroup(of: Double.self) { group in
            let start = ContinuousClock.now
            for beat in 0..<Self.beats * Self.seconds {
                for number in 0..<each {
                    let push = Push(
                        .location,
                        token: tokens[(beat * each + number) % tokens.count],
                        bundleIdentifier: Fleet.bundle,
                        payload: try Fleet.payload()
                    )
                    group.addTask {
                        let sent = ContinuousClock.now
                        _ = try await client.send(push).get()
                        return sent.duration(to: .now) / .milliseconds(1)
                    }
                }
                try await Task.sleep(
                    until: start.advanced(by: .seconds(1) * (beat + 1) / Self.beats),
                    clock: .continuous
                )
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}

internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

/// Pushes without an end from the device's own push service: one of them ended locationd forever.
enum EndlessPushes: Attack {
    typealias Scene = DeviceScene

    static let name = "endless-pushes"
    static let row = "to end locationd, for good, with a date"
    static let attempt = "as the device's push service, send it pushes without a pause, with dates at the ends of time"

    private static let dates: [Int64] = [0, 1, -1, .max, .min, Int64.max / 1_000_000, 1 << 62, 9_300_000_000_000]

    static func strike(_ scene: DeviceScene, _ bounds: Bounds) async throws -> String {
        var random = SeededGenerator(seed: 15)
        var sent = 0
        while !bounds.isOver, sent < bounds.messagesMax {
            let topic = sent % 2 == 0 ? DeviceScene.bundle : "com.example.Absent\(sent % 5000)"
            let frame = PushLinkGatewayFrame.with {
                $0.push.pushID = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) })
                $0.push.topic = "\(topic).location-query"
                $0.push.payload = Data(#"{"aps":{}}"#.utf8)
                $0.push.priority = UInt32(truncatingIfNeeded: random.next())
                $0.push.expiration = Self.dates[sent % Self.dates.count]
            }
            if try await scene.gateway.say(frame, bounds) { sent += 1 }
        }
        return "\(sent) pushes"
    }
}

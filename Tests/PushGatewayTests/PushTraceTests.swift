internal import Foundation
internal import Testing

@testable internal import WhereaboutsPushGateway

/// Tests for the texts about the history of a push.
@Suite struct PushTraceTests {
    private static let time = Date(timeIntervalSince1970: 0)

    private static func lines(delivered: Bool = false, relayed: Bool = false, end: String?) -> [String] {
        PushTrace(
            apnsID: "x",
            topic: "a",
            acceptedAt: relayed ? nil : self.time,
            deliveredAt: delivered ? self.time : nil,
            relayedAt: relayed ? self.time : nil,
            end: end,
            reason: nil,
            endedAt: end == nil ? nil : self.time
        ).lines { $0.formatted(.iso8601) }
    }

    /// Goal: the text never says that a push reached Apple if it did not, or that it waits if it has ended.
    @Test func theWordsAreTrue() {
        let time = "1970-01-01T00:00:00Z"
        #expect(
            Self.lines(end: nil) == [
                "topic      a", "accepted   \(time)", "delivered  not yet", "end        none: it waits for the device",
            ]
        )
        #expect(Self.lines(end: "expired")[2...] == ["delivered  never", "end        expired  \(time)"])
        #expect(Self.lines(delivered: true, end: "replaced")[2] == "delivered  \(time)")
        let relayed = Self.lines(relayed: true, end: "relayed")
        #expect(relayed[1...] == ["to Apple   \(time)", "end        relayed  \(time)"])
        #expect(Self.lines(relayed: true, end: "unsent")[1] == "for Apple  \(time)")
        #expect(Self.lines(relayed: true, end: nil)[2] == "end        none: Apple's answer is not there")
    }
}

internal import Foundation

extension PushTrace {
    /// The history of a push for an operator, one event a line; an ended push shows no pending steps.
    package var lines: [String] {
        let isOver = self.end != nil
        var lines = ["topic      \(self.topic)"]
        if let time = self.relayedAt {
            // An unsent push was meant for Apple, but was not sent.
            lines.append("\(self.end == "unsent" ? "for Apple " : "to Apple  ") \(time.formatted(.iso8601))")
        } else {
            if let time = self.acceptedAt { lines.append("accepted   \(time.formatted(.iso8601))") }
            let delivered = self.deliveredAt?.formatted(.iso8601)
            lines.append("delivered  \(delivered ?? (isOver ? "never" : "not yet"))")
        }
        let waiting = self.relayedAt != nil ? "none: Apple's answer is not there" : "none: it waits for the device"
        let facts = [self.end, self.reason, self.endedAt?.formatted(.iso8601)].compactMap(\.self)
        lines.append("end        \(isOver ? facts.joined(separator: "  ") : waiting)")
        return lines
    }
}

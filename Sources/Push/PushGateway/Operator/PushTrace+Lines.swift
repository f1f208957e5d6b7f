package import Foundation

extension PushTrace {
    /// Returns the history of a push for an operator, one event a line, with times as `text` writes them; an ended push shows no
    /// pending steps.
    package func lines(_ text: (Date) -> String) -> [String] {
        let isOver = self.end != nil
        var lines = ["topic      \(self.topic)"]
        if let time = self.relayedAt {
            // An unsent push was meant for Apple, but was not sent.
            lines.append("\(self.end == "unsent" ? "for Apple " : "to Apple  ") \(text(time))")
        } else {
            if let time = self.acceptedAt { lines.append("accepted   \(text(time))") }
            let delivered = self.deliveredAt.map(text)
            lines.append("delivered  \(delivered ?? (isOver ? "never" : "not yet"))")
        }
        let waiting = self.relayedAt != nil ? "none: Apple's answer is not there" : "none: it waits for the device"
        let facts = [self.end, self.reason, self.endedAt.map(text)].compactMap(\.self)
        lines.append("end        \(isOver ? facts.joined(separator: "  ") : waiting)")
        return lines
    }
}

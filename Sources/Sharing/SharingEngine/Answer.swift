/// A device's answer; only the requester can read it.
public struct Answer: Sendable, Hashable {
    /// The answer itself.
    public enum Content: Sendable, Hashable {
        case fix(SharedFix)
        /// The sharer declines; the reason is a sentence for a person.
        case refusal(String)
        /// The device has no position; the reason is a sentence for a person.
        case unavailable(String)
    }

    /// The answer itself.
    public let content: Content
    /// How long the device took.
    public let timings: DeviceTimings

    /// Creates an answer.
    public init(content: Content, timings: DeviceTimings) {
        self.content = content
        self.timings = timings
    }
}

/// A device's answer; only the requester can read it.
public struct Answer: Sendable, Hashable {
    /// The answer itself.
    public enum Content: Sendable, Hashable {
        case fix(SharedFix)
        /// The sharer declines, by this rule.
        case refusal(Refusal)
        /// The device has no position; the reason is a sentence for a person.
        case unavailable(String)

        /// Why there is no position, as a word for programs; nil for a position.
        public var code: String? {
            switch self {
            case .fix: nil
            case .refusal(let rule): rule.code
            case .unavailable: "unavailable"
            }
        }

        /// Why there is no position, as a sentence for a person; nil for a position.
        public var reason: String? {
            switch self {
            case .fix: nil
            case .refusal(let rule): rule.reason
            case .unavailable(let reason): reason
            }
        }
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

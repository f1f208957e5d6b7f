/// A step of the rig that failed, and why.
public struct RigError: Error, Sendable, CustomStringConvertible {
    /// The step, such as `the push gateway`.
    public let step: String
    /// The fault.
    public let reason: String

    /// Creates an error.
    public init(_ step: String, _ reason: String) {
        self.step = step
        self.reason = reason
    }

    /// Step and reason.
    public var description: String { "\(self.step): \(self.reason)" }
}

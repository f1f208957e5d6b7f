/// An error that a person can fix; the text names the input, the rule and the remedy.
public struct DaemonError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The whole message.
    public let description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }
}

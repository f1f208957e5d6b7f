/// Something a person can fix: it names the input, the rule and the remedy.
public struct DaemonError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The whole message.
    public let description: String

    /// Creates an error.
    public init(_ description: String) {
        self.description = description
    }
}

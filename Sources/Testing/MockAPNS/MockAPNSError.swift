/// A mock that cannot start, or a push that did not come.
public struct MockAPNSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The input, the rule and the remedy.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

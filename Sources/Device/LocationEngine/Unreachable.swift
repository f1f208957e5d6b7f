/// A call that breaks the contract of the called operation.
///
/// This is a bug in the host, not bad input from outside. The machine that throws it is unchanged.
/// Bad input from outside has its own error type; a race the host cannot avoid (a late timer,
/// a message after a client vanished) is neither: it is ignored, and the doc comment of the operation says so.
public struct Unreachable: Error, Sendable, Hashable {
    /// The operation that was called, filled in by the compiler.
    public var operation: String
    /// Why the call cannot happen, with the state in which it happened.
    public var reason: String

    /// Creates the error for the enclosing function.
    public init(_ reason: String, operation: String = #function) {
        self.operation = operation
        self.reason = reason
    }
}

/// A message with checked signatures: the only form in which state machines accept grants, requests and answers.
public struct Verified<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The message with its signature.
    public let signed: Signed<Value>

    /// The message without its signature.
    public var value: Value { self.signed.value }

    /// Marks a message as verified; only the verification in `Sharing`, its double in the simulator and tests may call this.
    package init(_ signed: Signed<Value>) {
        self.signed = signed
    }
}

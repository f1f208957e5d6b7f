/// A statement with checked signatures: the only form in which state machines accept grants, requests and answers.
public struct Verified<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The statement with its signature.
    public let signed: Signed<Value>

    /// The statement, without its signature.
    public var value: Value { self.signed.value }

    /// Vouches for a statement; only the verification in `Sharing`, its double in the simulator and tests may call it.
    package init(_ signed: Signed<Value>) {
        self.signed = signed
    }
}

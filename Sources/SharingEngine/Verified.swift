/// A value whose signatures were checked: the only form in which the engine accepts grants and requests.
public struct Verified<Value: Sendable & Hashable>: Sendable, Hashable {
    /// What was checked.
    public let value: Value

    /// Vouches for a value; only the verification in `Sharing` and tests may call it.
    package init(_ value: Value) {
        self.value = value
    }
}

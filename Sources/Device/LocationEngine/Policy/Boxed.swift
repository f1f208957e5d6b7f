/// A value that is stored beside the struct that uses it, because each copy of a struct copies what it stores inline.
@propertyWrapper
struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let storage: Storage

    var wrappedValue: Value { self.storage.value }

    init(_ value: Value) {
        self.storage = Storage(value)
    }

    static func == (lhs: Boxed, rhs: Boxed) -> Bool {
        lhs.storage === rhs.storage || lhs.storage.value == rhs.storage.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.storage.value) }
}

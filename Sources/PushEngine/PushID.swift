/// What names a push between the gateway and the device: 128 random bits, the same at each attempt.
///
/// Not the provider's `apns-id`: a provider that repeats one must not make the device take a new push for an old one.
public struct PushID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// Draws an id.
    public init(using generator: inout some RandomNumberGenerator) {
        self.high = generator.next()
        self.low = generator.next()
    }

    /// Creates an id from its 16 bytes, or nil when there are not 16.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        [self.high, self.low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }
}

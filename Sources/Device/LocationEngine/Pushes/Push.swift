public import WhereaboutsVocabulary

/// A location push as it reached the device.
public struct Push: Sendable, Hashable {
    /// The provider's priority, the least urgent first.
    public enum Priority: Sendable, Hashable, CaseIterable, Comparable {
        /// Never wakes the extension; delivered when the device is awake for another reason.
        case passive
        /// May wait a while for something else to wake the device.
        case considerate
        case immediate
    }

    /// The gateway's identifier.
    public var id: PushID
    /// The app that receives the push.
    public var bundle: BundleID
    /// The JSON the provider sent, as bytes.
    public var payload: [UInt8]
    /// Whether the payload is a JSON object, which an extension requires; checked once, on arrival.
    public var isObject: Bool
    /// How urgent the push is.
    public var priority: Priority
    /// A newer push with the same ID replaces a waiting one; nil: no push replaces another.
    public var collapseID: String?
    /// When the push expires; nil when it was to be tried once (``Policy/undatedPushLife``).
    public var expiration: WallTime?
    /// When the push reached the device.
    public var received: EngineInstant

    /// Creates a push.
    public init(
        id: PushID,
        bundle: BundleID,
        payload: [UInt8],
        isObject: Bool = true,
        priority: Priority = .immediate,
        collapseID: String? = nil,
        expiration: WallTime?,
        received: EngineInstant
    ) {
        self.id = id
        self.bundle = bundle
        self.payload = payload
        self.isObject = isObject
        self.priority = priority
        self.collapseID = collapseID
        self.expiration = expiration
        self.received = received
    }
}

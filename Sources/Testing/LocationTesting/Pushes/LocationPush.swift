internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A location push that was sent to a virtual device.
public struct LocationPush {
    let id: PushID
    private let gateway: VirtualGateway

    init(id: PushID, gateway: VirtualGateway) {
        self.id = id
        self.gateway = gateway
    }

    /// The push's outcome so far.
    public var outcome: PushOutcome { self.gateway.sent[self.id]?.outcome ?? .lost }

    /// The priority of a push, with the numbers of `apns-priority`.
    public enum Priority: Int, Sendable, Hashable, CaseIterable {
        /// The push reaches the extension at once.
        case immediate = 10
        /// The push waits until something else wakes the device: at most ten minutes, and not beyond its expiration, by
        /// default a minute.
        case considerate = 5
        /// The push waits until something else wakes the device.
        case passive = 1

        var onDevice: Push.Priority {
            switch self {
            case .immediate: .immediate
            case .considerate: .considerate
            case .passive: .passive
            }
        }
    }

    /// The fate of a push in the network.
    public struct Fate: Sendable {
        /// How long a copy of the push takes to arrive.
        public var delay: Duration
        /// The number of copies of the push that arrive, 0…16; 0: the push is lost.
        public var copies: Int

        /// Creates a fate.
        ///
        /// - Parameters:
        ///   - delay: how long a copy takes to arrive; not negative.
        ///   - copies: how many copies arrive; 0…16.
        public init(delay: Duration = .zero, copies: Int = 1) {
            precondition(delay >= .zero, "a push cannot come before it was sent")
            precondition((0...16).contains(copies), "a push arrives 0 to 16 times")
            self.delay = delay
            self.copies = copies
        }

        /// The push arrives at once.
        public static let delivered = Fate()
        /// It never arrives.
        public static let lost = Fate(copies: 0)
        /// The push arrives twice, as APNs allows.
        public static let duplicated = Fate(copies: 2)
        /// It arrives later.
        public static func delayed(by delay: Duration) -> Fate { Fate(delay: delay) }
    }

    /// The payload with its keys in other spellings; the original payload is not among them.
    static func misspelled(_ payload: [String: Any]) -> [[String: Any]] {
        let spellings: [(String) -> String] = [
            { Self.split($0).joined(separator: "_") },
            { Self.split($0).joined(separator: "-") },
            { Self.split($0).joined().uppercased() },
            { key in
                let words = Self.split(key)
                return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
            },
        ]
        return spellings.map { spell in
            Dictionary(payload.map { ($0 == "aps" ? $0 : spell($0), $1) }) { first, _ in first }
        }
        .filter { Set($0.keys) != Set(payload.keys) }
    }

    /// The words of a key, in lower case.
    private static func split(_ key: String) -> [String] {
        key.replacing(/([a-z])([A-Z])/) { "\($0.output.1)_\($0.output.2)" }.lowercased()
            .split { "_-.".contains($0) }.map(String.init)
    }

    /// Encodes the payload of a push, and applies the gateway's limit.
    ///
    /// - Parameter json: a JSON object.
    /// - Returns: its bytes.
    /// - Throws: ``Failure``.
    static func payload(_ json: [String: Any]) throws -> [UInt8] {
        guard JSONSerialization.isValidJSONObject(json) else {
            throw Failure(description: "the payload cannot be JSON: use strings, numbers, lists, dictionaries")
        }
        return try self.checked(try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys]))
    }

    /// The bytes of a payload that does not exceed the gateway's limit.
    ///
    /// - Throws: ``Failure``.
    static func checked(_ data: Data) throws -> [UInt8] {
        let most = PushType.location.payloadBytesMax
        guard data.count <= most else {
            throw Failure(description: "the payload has \(data.count) bytes; a location push holds \(most) at most")
        }
        return Array(data)
    }

    /// Why a payload cannot be sent.
    public struct Failure: Error, CustomStringConvertible, Sendable {
        /// The mistake, and its remedy.
        public let description: String
    }
}

internal import WhereaboutsVocabulary

/// One machine of the simulated world.
package enum NodeID: Sendable, Hashable, Codable, CustomStringConvertible {
    case gateway
    case server
    /// A device, by its index in the scenario.
    case device(Int)
    /// A requester, by its index in the scenario.
    case requester(Int)
    /// The machine that strangers share.
    case stranger
    /// A vendor's relay between the sharing server and the gateway.
    case relay
    /// Another vendor's sharing server, which sends through the relay.
    case sender

    var number: UInt64 {
        switch self {
        case .gateway: 0
        case .server: 1
        case .device(let index): 2 + UInt64(index) * 2
        case .requester(let index): 3 + UInt64(index) * 2
        case .stranger: 0xFFFF_FFFF
        case .relay: 0xFFFF_FFFE
        case .sender: 0xFFFF_FFFD
        }
    }

    /// The machine's address: each has another one.
    var address: AddressBlock {
        AddressBlock([10] + [16, 8, 0].map { UInt8(truncatingIfNeeded: self.number >> $0) })
    }

    package var description: String {
        switch self {
        case .gateway: "gateway"
        case .server: "server"
        case .device(let index): "device \(index)"
        case .requester(let index): "requester \(index)"
        case .stranger: "stranger"
        case .relay: "relay"
        case .sender: "sender"
        }
    }
}

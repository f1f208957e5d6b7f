/// A call of a program's on GeoClue's objects.
package struct BusCall: Sendable, Hashable {
    package enum Method: Sendable, Hashable {
        /// `Manager.GetClient`
        case getClient
        /// `Manager.CreateClient`
        case createClient
        /// `Manager.DeleteClient`
        case deleteClient(String)
        /// `Manager.AddAgent`
        case addAgent(String, ProcessFacts)
        /// `Client.Start`, with the kernel's present facts about the caller.
        case start(ProcessFacts)
        /// `Client.Stop`
        case stop
        /// `Properties.Get`
        case get(interface: String, property: String)
        /// `Properties.GetAll`
        case getAll(interface: String)
        /// `Properties.Set`; nil: a value of a kind that no property has
        case set(interface: String, property: String, BusValue?)
    }

    /// The number of the call, for the answer.
    package var id: CallID
    package var peer: BusPeer
    /// The path of the object.
    package var path: String
    package var method: Method

    package init(_ id: CallID, from peer: BusPeer, on path: String, _ method: Method) {
        self.id = id
        self.peer = peer
        self.path = path
        self.method = method
    }
}

/// The answer of a call.
package enum BusAnswer: Sendable, Hashable {
    case done
    /// The path of an object.
    case path(String)
    case value(BusValue)
    /// All properties of an interface.
    case values([Entry])
    /// The call was refused.
    case refused(Refusal)

    /// A property by its name.
    package struct Entry: Sendable, Hashable {
        package var name: String
        package var value: BusValue
    }
}

package enum GeoClueInterface {
    private static let prefix = "org.freedesktop.GeoClue2."
    package static let manager = Self.prefix + "Manager"
    /// Receives a program's wishes, and signals new positions to it.
    package static let client = Self.prefix + "Client"
    package static let location = Self.prefix + "Location"
    /// Asks people, in their desktop.
    package static let agent = Self.prefix + "Agent"
}

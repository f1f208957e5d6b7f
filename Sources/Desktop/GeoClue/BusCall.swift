/// A program's call of one of GeoClue's objects.
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
        /// `Client.Start`, with the kernel's facts about the caller at this time.
        case start(ProcessFacts)
        /// `Client.Stop`
        case stop
        /// `Properties.Get`
        case get(interface: String, property: String)
        /// `Properties.GetAll`
        case getAll(interface: String)
        /// `Properties.Set`; nil: the value has a type that no property has.
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

/// The answer to a call.
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
    /// The interface through which a program sets its wishes and receives positions.
    package static let client = Self.prefix + "Client"
    package static let location = Self.prefix + "Location"
    /// The interface of the agents, which ask people on their desktop.
    package static let agent = Self.prefix + "Agent"
}

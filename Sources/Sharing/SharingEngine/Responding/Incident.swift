package import WhereaboutsGeodesy
package import WhereaboutsVocabulary

/// The random ID of one incident.
package typealias IncidentID = Identifier128<Incident>
/// The random ID of one dispatching organisation.
package typealias DispatcherID = Identifier128<Dispatcher>

/// An organisation that may open incidents in its area.
package struct Dispatcher: Sendable, Hashable {
    /// The organisation's ID.
    package let id: DispatcherID
    /// The middle of the area.
    package let center: Grid.Cell
    /// The radius of the area, in metres.
    package let radius: Int

    /// The largest radius of an area, in metres.
    ///
    /// Source: our choice; half of the way from a pole to the equator.
    package static let radiusMax = 5_000_000

    /// Creates a dispatcher with a key; nil when the middle is not on the Earth, or the radius is out of range.
    package init?(key: PublicIdentity, latitude: Double, longitude: Double, radius: Int) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), (1...Self.radiusMax).contains(radius)
        else { return nil }
        let point = QuantizedCoordinate(
            latitude: Int((latitude * 10_000_000).rounded()),
            longitude: Int((longitude * 10_000_000).rounded())
        )
        self.init(id: DispatcherID(of: key), center: Volunteer.grid.cell(containing: point), radius: radius)
    }

    /// Creates a dispatcher.
    package init(id: DispatcherID, center: Grid.Cell, radius: Int) {
        self.id = id
        self.center = center
        self.radius = radius
    }
}

/// A medical emergency, as the server knows it.
public struct Incident: Sendable, Hashable {
    /// The urgency; a smaller value goes first.
    public enum Priority: UInt8, Sendable, Hashable, Comparable {
        /// A cardiac arrest.
        case arrest
        /// Another danger to life.
        case danger
        /// Help is useful, and nobody is in danger.
        case help

        /// Returns whether the left priority goes first.
        public static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// The maximum number of responders of one incident.
    package static let respondersMax = 10

    /// The incident's ID.
    package let id: IncidentID
    /// The cell of the grid; the server learns no more.
    package let cell: Grid.Cell
    /// The urgency.
    package let priority: Priority
    /// The number of people wanted at the patient.
    package let responders: Int
    /// Whether one more person must fetch a defibrillator.
    package let needsAED: Bool
    /// When the dispatcher signed it.
    package let signed: WallTime

    /// Creates an incident; nil when the cell is outside the grid, or a number is out of range.
    package init?(
        id: IncidentID,
        cell: Grid.Cell,
        priority: Priority,
        responders: Int,
        needsAED: Bool,
        signed: WallTime
    ) {
        guard cell.isOnGrid, (1...Self.respondersMax).contains(responders) else {
            return nil
        }
        self.id = id
        self.cell = cell
        self.priority = priority
        self.responders = responders
        self.needsAED = needsAED
        self.signed = signed.wholeMilliseconds
    }
}

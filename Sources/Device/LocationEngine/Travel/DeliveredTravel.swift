internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The last significant change and the last visit that an app received; the app is not launched or notified for them
/// again.
struct DeliveredTravel: Sendable, Hashable {
    /// A visit, and whether its end was delivered, too.
    struct OfVisit: Sendable, Hashable {
        /// When the visit began (``Visit/since``), which identifies it.
        var since: WallTime
        /// Whether the end of the visit was delivered, too.
        var hasEnded: Bool
    }

    /// The place of the last delivered significant change; nil: none.
    var place: QuantizedCoordinate?
    /// The last delivered visit; nil: none.
    var visit: OfVisit?

    /// Whether an element contains nothing new.
    ///
    /// An app that did not receive the beginning of a visit does not receive its end: it was not allowed to know where the device was.
    func holds(_ element: Update.Element, _ policy: TravelPolicy) -> Bool {
        switch element {
        case .fix(let fix):
            // Otherwise an app that received no change for a while would be notified of a few metres.
            guard let place else { return false }
            return Geodesic.millimeters(from: place, to: fix.point)
                < policy.changeDistance
        case .visit(let visit):
            let isSame = self.visit?.since == visit.since
            return visit.departure == nil ? isSame : !isSame || self.visit?.hasEnded == true
        case .heading, .beacons: return false
        }
    }

    /// Records that the app received an element.
    mutating func told(_ element: Update.Element) {
        switch element {
        case .fix(let fix): self.place = fix.point
        case .visit(let visit): self.visit = OfVisit(since: visit.since, hasEnded: visit.departure != nil)
        case .heading, .beacons: break
        }
    }
}

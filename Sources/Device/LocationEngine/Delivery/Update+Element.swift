internal import WhereaboutsVocabulary

/// The kinds of measurements, and how they differ for a sensor and a stream.
extension Update.Element {
    /// The sensor that measures the element.
    var sensor: Sensor {
        switch self {
        case .fix, .visit: .receiver
        case .heading: .compass
        case .beacons: .scanner
        }
    }

    /// When the element reached the engine.
    var arrival: EngineInstant {
        switch self {
        case .fix(let fix): fix.arrival
        case .heading(let heading): heading.arrival
        case .visit(let visit): visit.arrival
        case .beacons(let survey): survey.arrival
        }
    }

    /// Whether the sensor knows its accuracy, which may improve shortly after its start.
    var tellsAccuracy: Bool {
        switch self {
        case .fix(let fix): fix.horizontalAccuracy != nil
        case .heading, .visit, .beacons: true
        }
    }

    /// The measurement as the engine stores it: dated now, and with an accuracy.
    func arrived(_ policy: Policy, now: Now) -> Update.Element {
        switch self {
        case .fix(var fix):
            fix.horizontalAccuracy = fix.horizontalAccuracy ?? policy.unknownAccuracy
            fix.arrival = now.monotonic
            return .fix(fix)
        case .heading(var heading):
            heading.arrival = now.monotonic
            return .heading(heading)
        // Visits and surveys are derived from fixes or receptions; no sensor measures them.
        case .visit, .beacons: return self
        }
    }

    /// The measurement for an app with reduced accuracy; nil: the app receives none.
    ///
    /// Instead of a position, the app receives an approximate place (``ReducedAccuracy``).
    func withoutPlace(_ policy: Policy) -> Update.Element? {
        switch self {
        // Streams of beacons need full accuracy.
        case .fix, .beacons: nil
        case .heading(let heading): heading.withoutPlace.map { .heading($0) }
        case .visit(let visit): .visit(visit.approximate(radius: policy.reducedRadius))
        }
    }

    /// Whether a service's filter suppresses the element, because it differs little from the last one delivered.
    func isHeldBack(by service: ServiceTraits, after last: Update.Element) -> Bool {
        switch (self, last) {
        case (.fix(let fix), .fix(let last)):
            guard service.distanceFilter > 0 else { return false }
            // A position that is known much better passes.
            let improves = (fix.horizontalAccuracy ?? .max) < (last.horizontalAccuracy ?? .max) / 2
            return !improves && last.distance(to: fix) < Int64(service.distanceFilter)
        case (.heading(let heading), .heading(let last)):
            guard service.headingFilter > 0, let turn = heading.turn(since: last) else { return false }
            return turn < service.headingFilter
        case (.fix, _), (.heading, _), (.visit, _), (.beacons, _): return false
        }
    }
}

/// Decides which elements one stream is given.
///
/// ```
///          measured                 reasons
///   fresh ─────────▶ delivering ◀─────────────▶ blocked(reasons)
///     │                 │  ▲ moves again
///     │    still        ▼  │            a service for one element: ── first element ──▶ over
///     └─────────────▶ paused            one that does not resume: ── still ──▶ over
/// ```
/// A stream receives something at once: the last measurement if it is recent, or the reasons why not (ADR 0009).
public struct UpdateStream: Sendable, Hashable {
    /// The last element that the stream received.
    enum State: Sendable, Hashable {
        /// Nothing yet.
        case fresh
        /// The stream received this measurement.
        case delivering(Update.Element)
        /// The stream received these reasons.
        case blocked(UpdateDiagnostics)
        /// The stream received a measurement that says that the device is still.
        case paused
        /// The stream received its only element, or was ended because the device is still.
        case over
    }

    /// The part of the supply that the stream may have now.
    public enum Offer: Sendable, Hashable {
        /// There is no value and no error, because the sensor still searches.
        case nothing
        /// No measurement, and why; not empty.
        case reasons(UpdateDiagnostics)
        case measured(Update.Element)
        /// An approximate position; the next one comes later.
        case approximate(Fix)
        /// A measurement of a still device.
        case still(Update.Element)
        /// A measurement outside the place of a still device: an error, or the start of a move.
        case doubtful(Update.Element)

        /// The measurement; nil: not a measurement.
        var element: Update.Element? {
            switch self {
            case .nothing, .reasons: nil
            case .measured(let element), .still(let element), .doubtful(let element): element
            case .approximate(let fix): .fix(fix)
            }
        }
    }

    private(set) var state: State = .fresh

    /// Creates a stream that has received nothing.
    public init() {}

    /// Whether the last element had a measurement.
    var isServed: Bool {
        switch self.state {
        case .delivering, .paused: true
        case .fresh, .blocked, .over: false
        }
    }

    /// Whether the stream has received nothing so far.
    var isFresh: Bool { self.state == .fresh }

    /// Whether the stream last learned that the device is still.
    var isPaused: Bool { self.state == .paused }

    /// Whether the stream needs nothing more.
    var isOver: Bool { self.state == .over }

    /// Actions returned by ``offered(_:to:)``.
    public enum OnOffer: Sendable, Hashable {
        /// Give the stream this element.
        case send(Update)
        case ignore
    }

    /// Decides whether an offered value is sent to the stream, and records it.
    public mutating func offered(_ offer: Offer, to service: ServiceTraits) -> OnOffer {
        guard let (next, update) = self.next(offer, service) else { return .ignore }
        self.state = service.isOnce || (next == .paused && !service.resumes) ? .over : next
        return .send(update)
    }

    private func next(_ offer: Offer, _ service: ServiceTraits) -> (State, Update)? {
        if self.state == .over { return nil }
        switch offer {
        case .nothing:
            return nil
        case .reasons(let reasons):
            if self.state == .blocked(reasons) { return nil }
            // A service for one element waits while a person is asked.
            if service.isOnce, reasons.contains(.authorizationRequestInProgress) { return nil }
            return (.blocked(reasons), .unavailable(reasons))
        case .doubtful where self.state == .paused:
            return nil
        case .measured(let element), .doubtful(let element):
            if case .delivering(let last) = self.state, last == element || element.isHeldBack(by: service, after: last)
            {
                return nil
            }
            return (.delivering(element), .measured(element))
        case .approximate(let fix):
            return self.state == .delivering(.fix(fix)) ? nil : (.delivering(.fix(fix)), .fix(fix, .accuracyLimited))
        case .still(let element):
            return self.state == .paused ? nil : (.paused, .measured(element, .stationary))
        }
    }
}

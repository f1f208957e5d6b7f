/// Decides what one sequence of positions is given.
///
/// ```
///          position                 reasons
///   fresh ─────────▶ delivering ◀─────────────▶ blocked(reasons)
///     │                 │  ▲ moves again
///     │    still        ▼  │
///     └─────────────▶ paused            requestLocation: ── first element ──▶ over
/// ```
/// Served at once when it begins: with the last position if that is recent, or with the reasons why not (ADR 0009).
public struct UpdateStream: Sendable, Hashable {
    /// What the stream was given last.
    enum State: Sendable, Hashable {
        /// Nothing yet.
        case fresh
        /// This position.
        case delivering(Fix)
        /// These reasons.
        case blocked(UpdateDiagnostics)
        /// A position, with the word that the device stands still.
        case paused
        /// The one element it wanted.
        case over
    }

    /// What there is for the stream now.
    public enum Offer: Sendable, Hashable {
        /// Nothing, and nothing to say about it: the receiver searches.
        case nothing
        /// No position, and why; not empty.
        case reasons(UpdateDiagnostics)
        /// A position.
        case position(Fix)
        /// A position that is approximate; the next one takes its time.
        case approximate(Fix)
        /// A position that will stay what it is.
        case still(Fix)
    }

    private(set) var state: State = .fresh

    /// Creates a stream that was given nothing.
    public init() {}

    /// Whether the last element had a position.
    var isServed: Bool {
        switch self.state {
        case .delivering, .paused: true
        case .fresh, .blocked, .over: false
        }
    }

    /// Whether the stream wants anything more.
    var isOver: Bool { self.state == .over }

    /// Actions returned by ``offered(_:service:)``.
    public enum OnOffer: Sendable, Hashable {
        /// Give the stream this element.
        case send(Update)
        /// Do nothing; it knows.
        case ignore
    }

    /// Records what there is for the stream.
    public mutating func offered(_ offer: Offer, service: Service) -> OnOffer {
        guard let (next, update) = self.next(offer, service) else { return .ignore }
        self.state = next
        if case .once = service { self.state = .over }
        return .send(update)
    }

    private func next(_ offer: Offer, _ service: Service) -> (State, Update)? {
        if self.state == .over { return nil }
        switch offer {
        case .nothing:
            return nil
        case .reasons(let reasons):
            if self.state == .blocked(reasons) || !self.endsWith(reasons, service) { return nil }
            return (.blocked(reasons), .unavailable(reasons))
        case .position(let fix):
            if case .delivering(let last) = self.state, last == fix || self.isTooNear(fix, to: last, service) {
                return nil
            }
            return (.delivering(fix), .fix(fix))
        case .approximate(let fix):
            return self.state == .delivering(fix) ? nil : (.delivering(fix), .fix(fix, .accuracyLimited))
        case .still(let fix):
            return self.state == .paused ? nil : (.paused, .fix(fix, .stationary))
        }
    }

    /// Whether these reasons are worth an element: who wants one position waits while a person is asked.
    private func endsWith(_ reasons: UpdateDiagnostics, _ service: Service) -> Bool {
        if case .once = service { return !reasons.contains(.authorizationRequestInProgress) }
        return true
    }

    /// Whether a manager's distance filter holds a position back; one that is known much better passes.
    private func isTooNear(_ fix: Fix, to last: Fix, _ service: Service) -> Bool {
        guard case .standard(let options) = service, options.distanceFilter > 0 else { return false }
        let improves = (fix.horizontalAccuracy ?? .max) < (last.horizontalAccuracy ?? .max) / 2
        return !improves && last.distance(to: fix) < Int64(options.distanceFilter)
    }
}

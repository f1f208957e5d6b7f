internal import Foundation
internal import WhereaboutsConditions
internal import WhereaboutsVocabulary

/// The rules by which others decide, and ours; research and sources are in `docs/conditions.md`.
enum Rule: String, CaseIterable, Sendable {
    /// d ≤ r. Ikolvi/Tracelet#268.
    case threshold = "one threshold"
    /// Leave beyond r + max(r / 10, 20 m). Tracelet#274.
    case margin = "a margin"
    /// Leave when d − accuracy is beyond that margin. Tracelet#276.
    case gate = "an accuracy gate"
    /// Two fixes in a row on the other side of r. Tracelet#295.
    case twoFixes = "two fixes"
    /// Enter at 80 % of the fix's circle within the fence, leave at 20 %. ProximityKit on Play services 3.2.
    case overlap = "Google's overlap"
    /// d − accuracy < r. Home Assistant, core#175663.
    case homeAssistant = "Home Assistant's"
    /// Measured motion, or independent fixes that add up.
    case belief = "ours"
}

/// One rule at work on one circle.
struct Decider {
    private(set) var side: Side
    private let rule: Rule
    private let circle: ConditionCircle
    private let policy: BeliefPolicy
    private var belief: Belief
    private var trail = Trail()
    private var others = 0

    init(_ rule: Rule, circle: ConditionCircle, side: Side, policy: BeliefPolicy = BeliefPolicy()) {
        self.policy = policy
        self.rule = rule
        self.circle = circle
        self.side = side
        self.belief = Belief(side: side)
    }

    /// Takes a fix; returns the new side when it changes.
    ///
    /// - Parameters:
    ///   - observation: the fix.
    ///   - distance: its way from the centre in metres.
    /// - Returns: the new side, or nil when it stays.
    mutating func observed(_ observation: Observation, distance: Double) -> Side? {
        let radius = Double(self.circle.radius) / 1000
        let accuracy = observation.accuracy ?? 100
        let margin = max(radius / 10, 20)
        let before = self.side
        switch self.rule {
        case .threshold: self.side = distance <= radius ? .inside : .outside
        case .margin:
            if distance <= radius { self.side = .inside } else if distance > radius + margin { self.side = .outside }
        case .gate:
            if distance <= radius {
                self.side = .inside
            } else if distance - accuracy > radius + margin {
                self.side = .outside
            }
        case .twoFixes:
            let seen: Side = distance <= radius ? .inside : .outside
            self.others = seen == self.side ? 0 : self.others + 1
            if self.others == 2 { (self.side, self.others) = (seen, 0) }
        case .overlap:
            let share = Self.overlap(distance: distance, radius: radius, of: accuracy)
            if share >= 0.8 { self.side = .inside } else if share <= 0.2 { self.side = .outside }
        case .homeAssistant: self.side = distance - accuracy < radius ? .inside : .outside
        case .belief: self.believe(observation)
        }
        return self.side == before ? nil : self.side
    }

    private mutating func believe(_ observation: Observation) {
        let sighting = observation.sighting(self.policy)
        if let evidence = self.trail.silenceLasted(now: sighting.arrival, policy: self.policy) { self.decide(evidence) }
        guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: self.policy) else { return }
        self.decide(evidence)
    }

    private mutating func decide(_ evidence: Evidence) {
        if case .crossed(let side, _) = self.belief.sightingArrived(evidence, of: self.circle, policy: self.policy) {
            self.side = side
        }
    }

    /// The share of a circle of radius `small` that lies in one of `radius`, whose centre is `distance` away.
    private static func overlap(distance: Double, radius: Double, of small: Double) -> Double {
        if distance >= radius + small { return 0 }
        if distance <= radius - small { return 1 }
        if distance <= small - radius { return radius * radius / (small * small) }
        let a = acos((distance * distance + small * small - radius * radius) / (2 * distance * small))
        let b = acos((distance * distance + radius * radius - small * small) / (2 * distance * radius))
        let lens =
            small * small * (a - sin(2 * a) / 2) + radius * radius * (b - sin(2 * b) / 2)
        return lens / (.pi * small * small)
    }
}

internal import WhereaboutsLocationEngine

/// The rules of a device's owner, which override what the person decides (`docs/management.md`).
///
/// A decision that no rule covers is the person's.
public struct Management: Sendable, Hashable {
    /// The extent of people's decisions about an app, as the owner limits it.
    public enum Restriction: Sendable, Hashable, CaseIterable {
        case none
        /// No new decisions: existing ones stay, and an app without a decision is restricted.
        case locked
        /// The app gets no location, whatever the person decided.
        case forbidden
    }

    /// The owner's answer to an app's questions, instead of a person's.
    public enum StandingAnswer: Sendable, Hashable {
        /// Every question is answered with no.
        case never
        /// The app may use the location while in use; whether precisely.
        case whileUsing(precise: Bool = true)
        /// The app may use the location at any time; whether precisely.
        case always(precise: Bool = true)
    }

    /// The owner's rule for an app.
    public struct Rule: Sendable, Hashable {
        /// The extent of people's decisions about the app.
        public var restriction: Restriction
        /// Whether the app has no user interface, and so counts as being in the foreground while it runs.
        public var isHeadless: Bool
        /// The answer to the app's questions; nil: a person is asked.
        public var answer: StandingAnswer?

        /// Creates a rule; defaults leave the decision to the person.
        ///
        /// - Parameters:
        ///   - restriction: the extent of people's decisions about the app.
        ///   - isHeadless: whether the app counts as being in the foreground while it runs.
        ///   - answer: the answer to the app's questions; nil: a person is asked.
        public init(_ restriction: Restriction = .none, isHeadless: Bool = false, answer: StandingAnswer? = nil) {
            self.restriction = restriction
            self.isHeadless = isHeadless
            self.answer = answer
        }
    }

    /// Location services, forced on or off; nil: the person's choice.
    public var locationServices: Bool?
    /// The rules of single apps, by their bundle identifiers.
    public var apps: [String: Rule]
    /// The rule for all other apps.
    public var everyApp: Rule

    /// Creates rules; defaults leave the decision to the person.
    ///
    /// - Parameters:
    ///   - locationServices: whether they are forced on or off; nil: the person's choice.
    ///   - apps: the rules of single apps, by their bundle identifiers.
    ///   - everyApp: the rule for all other apps.
    public init(locationServices: Bool? = nil, apps: [String: Rule] = [:], everyApp: Rule = Rule()) {
        self.locationServices = locationServices
        self.apps = apps
        self.everyApp = everyApp
    }
}

extension Management {
    /// The rules in the engine's form.
    var rules: WhereaboutsLocationEngine.Management {
        WhereaboutsLocationEngine.Management(
            locationServices: self.locationServices,
            apps: Dictionary(uniqueKeysWithValues: self.apps.map { (BundleID($0.key), $0.value.rule) }),
            everyApp: self.everyApp.rule
        )
    }
}

extension Management.Rule {
    fileprivate var rule: WhereaboutsLocationEngine.Management.Rule {
        let restriction: WhereaboutsLocationEngine.Management.Restriction =
            switch self.restriction {
            case .none: .none
            case .locked: .locked
            case .forbidden: .forbidden
            }
        let answer: WhereaboutsLocationEngine.Management.StandingAnswer? =
            switch self.answer {
            case .never: .never
            case .whileUsing(let precise): .whileUsing(precise: precise)
            case .always(let precise): .always(precise: precise)
            case nil: nil
            }
        return WhereaboutsLocationEngine.Management.Rule(
            restriction: restriction,
            isHeadless: self.isHeadless,
            answer: answer
        )
    }
}

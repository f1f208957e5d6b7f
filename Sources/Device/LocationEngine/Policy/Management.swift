/// The rules of the device's owner, from a file, which override people's decisions.
public struct Management: Sendable, Hashable {
    /// The decisions about an app that the owner leaves to people.
    public enum Restriction: Sendable, Hashable {
        case none
        /// People can no longer decide.
        ///
        /// Earlier decisions stay; an app without one is restricted.
        case locked
        /// The app gets no location, even if it was allowed before.
        case forbidden
    }

    /// The owner's answer to an app's prompts on a device without a person.
    public enum StandingAnswer: Sendable, Hashable {
        /// Every question is answered with no.
        case never
        /// Authorization while in use; `precise` allows full accuracy.
        case whileUsing(precise: Bool)
        /// Authorization at any time; `precise` allows full accuracy.
        case always(precise: Bool)
    }

    /// The owner's rule for an app.
    public struct Rule: Sendable, Hashable {
        /// The decisions that are left to people.
        public var restriction: Restriction
        /// The app has no user interface: it counts as being in the foreground.
        public var isHeadless: Bool
        /// The answer instead of a prompt; nil: a person is asked.
        public var answer: StandingAnswer?

        /// Creates a rule; by default, people decide everything.
        public init(restriction: Restriction = .none, isHeadless: Bool = false, answer: StandingAnswer? = nil) {
            self.restriction = restriction
            self.isHeadless = isHeadless
            self.answer = answer
        }
    }

    /// Location services, forced on or off; nil: the person's choice.
    public var locationServices: Bool?
    /// The rules of single apps; looked up by name only, never iterated.
    public var apps: [BundleID: Rule]
    /// The rule for all other apps.
    public var everyApp: Rule

    /// Creates rules; by default, people decide everything.
    public init(
        locationServices: Bool? = nil,
        apps: [BundleID: Rule] = [:],
        everyApp: Rule = Rule()
    ) {
        self.locationServices = locationServices
        self.apps = apps
        self.everyApp = everyApp
    }

    /// Returns the rule for an app.
    public func rule(for bundle: BundleID) -> Rule { self.apps[bundle] ?? self.everyApp }
}

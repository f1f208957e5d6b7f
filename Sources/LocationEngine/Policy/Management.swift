/// The rules of the device's owner, from a file; they stand above what people decide.
public struct Management: Sendable, Hashable {
    /// What the owner lets people decide about an app.
    public enum Restriction: Sendable, Hashable {
        /// Everything.
        case none
        /// Nothing any more: what was decided stays, who was not asked is restricted.
        case locked
        /// The app gets no location, whatever was decided.
        case forbidden
    }

    /// What is answered where nobody is there to be asked.
    public enum StandingAnswer: Sendable, Hashable {
        /// Every question is answered with no.
        case never
        /// While in use, and how precisely.
        case whileUsing(precise: Bool)
        /// At any time, and how precisely.
        case always(precise: Bool)
    }

    /// What holds for an app.
    public struct Rule: Sendable, Hashable {
        /// What people may decide about it.
        public var restriction: Restriction
        /// The app has no face: it counts as being in the foreground.
        public var isHeadless: Bool
        /// What is answered instead of asking; nil: a person is asked.
        public var answer: StandingAnswer?

        /// Creates a rule; the default leaves everything to people.
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
    /// What holds for all others.
    public var everyApp: Rule

    /// Creates rules; the default leaves everything to people.
    public init(
        locationServices: Bool? = nil,
        apps: [BundleID: Rule] = [:],
        everyApp: Rule = Rule()
    ) {
        self.locationServices = locationServices
        self.apps = apps
        self.everyApp = everyApp
    }

    /// What holds for an app.
    public func rule(for bundle: BundleID) -> Rule { self.apps[bundle] ?? self.everyApp }
}

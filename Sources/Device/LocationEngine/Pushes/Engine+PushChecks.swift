/// One of the conditions under which a location push reaches an app's extension.
public enum PushCheck: Sendable, Hashable, CaseIterable {
    /// The payload is a JSON object, which an extension requires.
    case object
    /// The payload is not longer than ``Policy/pushPayloadMax``.
    case size
    case installed
    /// The bundle contains a location push service extension.
    case hasExtension
    /// The entitlement `aps-environment` was approved.
    case hasEnvironment
    /// The entitlement `com.apple.developer.location.push` was approved.
    case entitled
    /// The app monitors location pushes.
    case registered
    case services
    /// The rules of the device's owner do not forbid the app the location.
    case permitted
    /// The app is authorized Always, by a person or by the rules of the device's owner.
    case authorized
    /// A person confirmed Always, or Always was never provisional.
    case confirmed
    /// The app has a session for Always, held now or remembered, or it needs none.
    case session
    /// The device's push budget is not empty.
    case budget
    /// The app has not used up its share of the budget.
    case share
    /// Starts of the extension are not paused after repeated failures.
    case steady
    /// There is room for another waiting push.
    case room
}

extension Engine {
    /// Returns each condition for a push to reach an app's extension, in the order of the checks, and whether it is met
    /// now.
    ///
    /// For the device's owner: apps do not learn the budget.
    public func pushChecks(for push: Push) -> [(check: PushCheck, isMet: Bool)] {
        guard let app = self.apps[push.bundle] else {
            return [(.object, push.isObject), (.size, self.fits(push)), (.installed, false)]
        }
        let terms = self.terms(of: push.bundle)
        return PushCheck.allCases.map { check in
            let isMet: Bool =
                switch check {
                case .object: push.isObject
                case .size: self.fits(push)
                case .installed: true
                case .hasExtension: app.manifest.hasPushExtension
                case .hasEnvironment: app.manifest.hasPushEnvironment
                case .entitled: app.manifest.mayReceiveLocationPushes
                case .registered: app.registration.isMonitoring
                case .services: self.areServicesOn
                case .permitted: app.isPermitted(terms)
                case .authorized: app.authorization.status == .always
                case .confirmed: !app.authorization.isProvisional
                case .session: app.allowsExtensionSession(terms)
                case .budget: self.budget.isOpen
                case .share: self.budget.shares.isOpen(for: push.bundle)
                case .steady: !app.pushExtension.crashLoop.isHeld
                case .room: app.pushExtension.hasRoom
                }
            return (check, isMet)
        }
    }

    /// Whether a payload is within the limit for extensions.
    func fits(_ push: Push) -> Bool { push.payload.count <= self.policy.pushPayloadMax }

    /// The pushes left in the budget, and its capacity, for the device's owner.
    public var pushBudgetLevel: (remaining: Int, capacity: Int) {
        (self.budget.remaining, self.policy.pushBudgetCapacity)
    }
}

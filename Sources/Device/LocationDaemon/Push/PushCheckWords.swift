internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// `locationctl push --dry-run`: the checks that would stop a push, and their remedies.
struct PushCheckWords {
    static let objectRemedy = "an extension is given one, such as {\"question\": 1}"

    /// The maximum number of bytes of a payload.
    let payloadMax: Int
    let management: Management
    /// The file of the owner's rules, for people.
    let rules: String

    func shown(_ check: PushCheck, isMet: Bool, for push: Push) -> WirePushCheck {
        let (name, text, remedy) = self.words(check, push)
        return .with {
            $0.name = name
            $0.isMet = isMet
            $0.text = text
            $0.remedy = isMet ? "" : remedy
        }
    }

    /// The name of a check, the question that it answers, and the remedy if it fails.
    func words(_ check: PushCheck, _ push: Push) -> (String, String, String) {
        let bundle = push.bundle
        let approve = "approve it with `locationctl install Name.app`; changed files lose it"
        switch check {
        case .object: return ("object", "the payload is a JSON object", Self.objectRemedy)
        case .size:
            return (
                "size", "the payload has at most \(self.payloadMax) bytes",
                "it has \(push.payload.count); send less, and let the extension ask its server for the rest"
            )
        case .installed: return ("installed", "the app is installed", "install it: `locationctl install Name.app`")
        case .hasExtension:
            return (
                "extension", "its bundle contains a location push service extension",
                "add one: PlugIns/Name.appex with NSExtensionPointIdentifier \(AppBundle.pushExtensionPoint)"
            )
        case .hasEnvironment:
            return ("environment", "the entitlement \(Entitlement.pushEnvironment) is approved", approve)
        case .entitled: return ("entitled", "the entitlement \(Entitlement.push) is approved", approve)
        case .registered:
            return (
                "registered", "the app monitors location pushes",
                "run it, and let it call startMonitoringLocationPushes: `locationctl run \(bundle)`"
            )
        case .services:
            return (
                "services", "location services are on",
                self.management.locationServices == nil
                    ? "turn them on: `locationctl settings location-services on`"
                    : "the device's owner turned them off: fix locationServices in \(self.rules), then send locationd SIGHUP"
            )
        case .permitted:
            return (
                "permitted", "the owner's rules let the app have the location",
                "fix the restriction of \(bundle) in \(self.rules), then send locationd SIGHUP"
            )
        case .authorized:
            let isLocked = self.management.rule(for: bundle).restriction != .none
            return (
                "authorized", "the app is authorized Always",
                isLocked
                    ? "people cannot change it: fix the restriction of \(bundle) in \(self.rules)"
                    : "allow it: `locationctl authorize \(bundle) always`"
            )
        case .confirmed:
            return (
                "confirmed", "Always is more than provisional",
                "the first push asks the person to confirm it; answer, or `locationctl authorize \(bundle) always`"
            )
        case .session:
            return (
                "session", "the app has a service session that asks for Always, or never used service sessions",
                "open it once, so that it creates a CLServiceSession(authorization: .always) in the foreground: "
                    + "`locationctl run \(bundle)`"
            )
        case .budget:
            return ("budget", "the device's push budget is not empty", "wait; `locationctl pushes` shows the budget")
        case .share:
            return (
                "share", "the app has not used up its share of the budget",
                "wait; `locationctl pushes` shows who received how many"
            )
        case .steady:
            return (
                "steady", "the extension is not held back for failing",
                "see why it failed with `locationctl pushes` and in its output, and install a version that works"
            )
        case .room: return ("room", "there is room for another push", "wait until the extension has completed some")
        }
    }
}

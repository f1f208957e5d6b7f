internal import Foundation
package import WhereaboutsLocationEngine

/// The keys of an app's property lists that a device reads, under Apple's names.
package enum InfoPlistKey {
    package static let whenInUse = "NSLocationWhenInUseUsageDescription"
    package static let always = "NSLocationAlwaysAndWhenInUseUsageDescription"
    package static let purposes = "NSLocationTemporaryUsageDescriptionDictionary"
    package static let backgroundModes = "UIBackgroundModes"
    package static let reducedAccuracy = "NSLocationDefaultAccuracyReduced"
    /// Both spellings are in use; Apple's pages have the first.
    package static let explicitSessions = [
        "NSLocationRequireExplicitServiceSession", "CLRequireExplicitServiceSession",
    ]
}

/// The entitlements that need the approval of the device's owner.
package enum Entitlement {
    package static let push = "com.apple.developer.location.push"
    package static let pushEnvironment = "aps-environment"
}

extension AppManifest {
    /// Reads the engine's facts about an app.
    ///
    /// - Parameters:
    ///   - infoPlist: the Info.plist; a value of the wrong type counts as missing.
    ///   - entitlements: the entitlements that are in force.
    ///   - hasPushExtension: whether the bundle contains a location push service extension.
    package init(infoPlist: [String: Any], entitlements: Set<String>, hasPushExtension: Bool) {
        func grants(_ key: String) -> Bool { Self.grants(infoPlist[key]) }
        self.init(
            explainsWhenInUse: grants(InfoPlistKey.whenInUse),
            explainsAlways: grants(InfoPlistKey.always),
            requiresExplicitSessions: InfoPlistKey.explicitSessions.contains(where: grants),
            purposes: (infoPlist[InfoPlistKey.purposes] as? [String: String] ?? [:]).keys.sorted(),
            defaultsToReducedAccuracy: grants(InfoPlistKey.reducedAccuracy),
            mayRunInBackground: (infoPlist[InfoPlistKey.backgroundModes] as? [String] ?? []).contains("location"),
            mayReceiveLocationPushes: entitlements.contains(Entitlement.push),
            hasPushEnvironment: entitlements.contains(Entitlement.pushEnvironment),
            hasPushExtension: hasPushExtension
        )
    }

    /// Whether the value is present, and neither false nor the empty string.
    package static func grants(_ value: Any?) -> Bool {
        switch value {
        case let text as String: !text.isEmpty
        case let flag as Bool: flag
        case let number as NSNumber: number.boolValue
        default: false
        }
    }
}

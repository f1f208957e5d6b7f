internal import WhereaboutsAPNS
package import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The topic of an app in the push service.
extension BundleID {
    /// Creates the identifier of the app that a topic of location pushes is for; nil for any other topic.
    package init?(locationTopic topic: String) {
        guard let text = PushType.location.bundleIdentifier(of: topic), text.isBundleIdentifier else { return nil }
        self.init(text)
    }

    /// The topic of the app's location pushes.
    package var locationTopic: String { PushType.location.topic(bundleIdentifier: self.rawValue) }
}

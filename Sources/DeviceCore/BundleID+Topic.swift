internal import APNS
package import LocationEngine

/// An app's name in the push service's words.
extension BundleID {
    /// Creates the identifier of the app that a topic of location pushes is for; nil for any other topic.
    package init?(locationTopic topic: String) {
        guard let text = PushType.location.bundleIdentifier(of: topic), Self.isIdentifier(text) else { return nil }
        self.init(text)
    }

    /// The topic of the app's location pushes.
    package var locationTopic: String { PushType.location.topic(bundleIdentifier: self.rawValue) }

    /// Returns whether a text can be an app's identifier: its file names and its topic are made of it.
    ///
    /// Letters, digits, hyphens and single dots (Apple: "CFBundleIdentifier"), 155 at most: with ".location-query" and a
    /// file's ending it must fit a file name of 255 bytes and a topic.
    package static func isIdentifier(_ text: String) -> Bool {
        let allowed = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2D || byte == 0x2E
        }
        return allowed && !text.isEmpty && text.utf8.count <= 155 && !text.hasPrefix(".") && !text.contains("..")
    }
}

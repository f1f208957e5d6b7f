/// An app that locationd has.
package struct InstalledApp: Sendable, Hashable {
    /// Its bundle identifier.
    package let bundle: String
    /// Whether a person or the device's owner chose anything for it.
    package let isDecided: Bool

    /// Creates an app.
    package init(bundle: String, isDecided: Bool) {
        self.bundle = bundle
        self.isDecided = isDecided
    }
}

/// An app that is installed in locationd.
package struct InstalledApp: Sendable, Hashable {
    package let bundle: String
    /// Whether a person or the device's owner has decided about the app.
    package let isDecided: Bool

    package init(bundle: String, isDecided: Bool) {
        self.bundle = bundle
        self.isDecided = isDecided
    }
}

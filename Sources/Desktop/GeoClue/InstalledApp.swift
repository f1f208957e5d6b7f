/// An app that locationd has.
package struct InstalledApp: Sendable, Hashable {
    package let bundle: String
    /// Whether a person or the device's owner has decided about it.
    package let isDecided: Bool

    package init(bundle: String, isDecided: Bool) {
        self.bundle = bundle
        self.isDecided = isDecided
    }
}

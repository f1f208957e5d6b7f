/// A sharer's statement that the bearer may read which of their devices are registered.
package struct DevicesPermit: Sendable, Hashable {
    /// The person whose devices may be read.
    package let sharer: PublicIdentity

    package init(sharer: PublicIdentity) {
        self.sharer = sharer
    }
}

/// A sharer's statement that the bearer may read which devices of theirs are registered.
package struct DevicesPermit: Sendable, Hashable {
    /// The person whose devices may be read.
    package let sharer: PublicIdentity

    /// Creates the permit.
    package init(sharer: PublicIdentity) {
        self.sharer = sharer
    }
}

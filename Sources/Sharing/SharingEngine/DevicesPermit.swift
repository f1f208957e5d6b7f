/// A sharer's signed permission for its bearer to list the sharer's registered devices.
package struct DevicesPermit: Sendable, Hashable {
    /// The person whose devices may be read.
    package let sharer: PublicIdentity

    package init(sharer: PublicIdentity) {
        self.sharer = sharer
    }
}

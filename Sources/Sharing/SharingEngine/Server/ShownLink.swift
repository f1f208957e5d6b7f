/// A link as the server shows it to anyone who knows its address.
package struct ShownLink: Sendable, Hashable {
    package let link: LinkedGrant
    /// How many requests under the link's grant were answered.
    ///
    /// The page shows the remaining uses before it asks. The device decides by its own count (``GrantUses``).
    package let uses: Int

    package init(_ link: LinkedGrant, uses: Int) {
        self.link = link
        self.uses = uses
    }
}

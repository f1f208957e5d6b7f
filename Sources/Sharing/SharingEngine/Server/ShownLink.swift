/// A link as the server shows it to anyone who has it.
package struct ShownLink: Sendable, Hashable {
    package let link: LinkedGrant
    /// How many requests under its grant were answered.
    ///
    /// The page says what remains before it asks. The device decides by its own count (``GrantUses``).
    package let uses: Int

    package init(_ link: LinkedGrant, uses: Int) {
        self.link = link
        self.uses = uses
    }
}

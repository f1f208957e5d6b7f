/// The version of all programs here, which each says with `--version`.
package enum Release {
    /// The newest version that the changelog names; until there is one, that there is none.
    ///
    /// The number of a package is its tag; a binary has only this.
    package static let version = "unreleased"
}

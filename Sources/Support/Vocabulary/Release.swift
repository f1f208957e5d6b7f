/// The version of all programs, which `--version` prints.
package enum Release {
    /// The newest version in the changelog; before the first one, "unreleased".
    ///
    /// The number of a package is its tag; a binary has only this.
    package static let version = "unreleased"
}

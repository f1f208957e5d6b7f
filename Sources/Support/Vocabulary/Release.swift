/// The version of all programs, which `--version` prints.
package enum Release {
    /// The newest version in the changelog; "unreleased" before the first version.
    ///
    /// A package has its version in its tag; a binary has only this constant.
    package static let version = "unreleased"
}

/// An error in an option file: its name, the rule and the remedy.
package struct OptionFileError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Why a program refuses to use a database.
package enum DatabaseFormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file belongs to another program; nil: to none of our programs.
    case otherOwner(DatabaseOwner?)
    /// The file has another version of this program's tables.
    case otherVersion(Int32, expected: Int32)

    /// The reason and the remedy; the caller prefixes the path of the file.
    package var description: String {
        switch self {
        case .otherOwner(let owner):
            "this is a database of \(owner?.name ?? "another program"). Name this program's own database, or a new file"
        case .otherVersion(let version, let expected):
            "the tables have version \(version), and this program reads version \(expected) only. Run the version of "
                + "whereabouts that wrote the file, or name a new file"
        }
    }
}

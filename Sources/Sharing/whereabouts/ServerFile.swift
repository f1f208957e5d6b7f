internal import Foundation
internal import WhereaboutsOptionFiles

/// The file that says how gateway and server run: the options of their commands, each under its title.
enum ServerFile {
    /// Its name in the directory.
    static let name = "whereabouts.toml"
    /// Its name until TOML: read where there is no other.
    static let earlierName = "whereabouts.json"
    /// The commands that run here.
    static let titles = ["gateway", "server"]

    /// The file of a directory.
    ///
    /// - Throws: ``OptionFileError`` when it cannot be read, or is no such text.
    static func read(in directory: String) throws -> OptionFile {
        let path = "\(directory)/\(Self.name)"
        let earlier = "\(directory)/\(Self.earlierName)"
        guard !FileManager.default.fileExists(atPath: path), FileManager.default.fileExists(atPath: earlier) else {
            return try OptionFile(path: path)
        }
        return try OptionFile(earlierPath: earlier)
    }
}

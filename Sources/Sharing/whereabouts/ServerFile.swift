internal import WhereaboutsOptionFiles

/// The file that says how gateway and server run: the options of their commands, each under its title.
enum ServerFile {
    /// Its name in the directory.
    static let name = "whereabouts.toml"
    /// The commands that run here.
    static let titles = ["gateway", "server"]

    /// The file of a directory.
    ///
    /// - Throws: ``OptionFileError`` when it cannot be read, or is no such text.
    static func read(in directory: String) throws -> OptionFile {
        try OptionFile(path: "\(directory)/\(Self.name)")
    }
}

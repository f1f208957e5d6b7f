internal import WhereaboutsOptionFiles

/// The configuration file of gateway and server: the options of their commands, each in its section.
enum ServerFile {
    /// The name of the file in the directory.
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

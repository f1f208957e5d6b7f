internal import WhereaboutsOptionFiles

/// The configuration file of gateway and server: the options of their commands, each in its section.
enum ServerFile {
    /// The name of the file in the directory.
    static let name = "whereabouts.toml"
    /// The sections: the commands that `whereabouts serve` runs.
    static let titles = ["gateway", "server"]

    /// Reads the configuration file of a directory.
    ///
    /// - Throws: ``OptionFileError`` when the file cannot be read, or is malformed.
    static func read(in directory: String) throws -> OptionFile {
        try OptionFile(path: "\(directory)/\(Self.name)")
    }
}

internal import WhereaboutsOptionFiles
internal import WhereaboutsSharing

/// The configuration file of gateway and server: the options of their commands, each in its section.
enum ServerFile {
    /// The name of the file in the directory.
    static let name = "whereabouts.toml"
    /// The sections: the commands that `whereabouts serve` runs.
    static let titles = ["gateway", "server"]
    /// The title of the tables that each name a dispatcher.
    static let dispatchersTitle = "dispatchers"

    /// Reads the dispatchers of a file, by their keys.
    ///
    /// - Throws: an error that names the value that is wrong.
    static func dispatchers(in file: OptionFile) throws -> [PublicIdentity: Dispatcher] {
        let fields = ["name", "key", "latitude", "longitude", "radius"]
        var all: [PublicIdentity: Dispatcher] = [:]
        for entry in try file.list(self.dispatchersTitle, fields: fields) {
            func error(_ rule: String) -> SharingError {
                SharingError(.badProfile, "\(file.name) [[dispatchers]] \(entry["name"] ?? ""): \(rule)")
            }
            let key: PublicIdentity
            do {
                key = try PublicIdentity(text: entry["key"] ?? "")
            } catch let fault as SharingError {
                throw error("'key': \(fault.message)")
            }
            guard let latitude = entry["latitude"].flatMap({ Double($0) }),
                let longitude = entry["longitude"].flatMap({ Double($0) }),
                let radius = entry["radius"].flatMap({ Int($0) }),
                let dispatcher = Dispatcher(key: key, latitude: latitude, longitude: longitude, radius: radius)
            else {
                throw error(
                    "'latitude' must be from -90 to 90, 'longitude' from -180 to 180, and 'radius' a whole number of metres from 1 to "
                        + "\(Dispatcher.radiusMax)"
                )
            }
            guard all.updateValue(dispatcher, forKey: key) == nil else {
                throw error("another dispatcher has the same key; give each its own")
            }
        }
        return all
    }

    /// Reads the configuration file of a directory.
    ///
    /// - Throws: ``OptionFileError`` when the file cannot be read, or is malformed.
    static func read(in directory: String) throws -> OptionFile {
        try OptionFile(path: "\(directory)/\(Self.name)")
    }
}

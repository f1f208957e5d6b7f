import CoreLocation

final class TrackArchive {
    private let file: URL

    init(file: URL) {
        self.file = file
    }

    func save(_ locations: [CLLocation]) throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: locations as NSArray, requiringSecureCoding: true)
        try data.write(to: file, options: .atomic)
    }

    func load() throws -> [CLLocation] {
        let data = try Data(contentsOf: file)
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, CLLocation.self], from: data)
        return object as? [CLLocation] ?? []
    }
}

internal import Synchronization
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The ID of the database, which every reply carries.
final class CurrentDatabaseID: Sendable {
    private let id: Mutex<DatabaseID>

    init(_ id: DatabaseID) { self.id = Mutex(id) }

    var value: DatabaseID { self.id.withLock { $0 } }

    func set(_ id: DatabaseID) { self.id.withLock { $0 = id } }

    static func drawn() -> DatabaseID {
        var generator = SystemRandomNumberGenerator()
        return DatabaseID(using: &generator)
    }
}

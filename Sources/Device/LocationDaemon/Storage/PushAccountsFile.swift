internal import Foundation
internal import Logging
internal import WhereaboutsDurableStorage
internal import WhereaboutsJSONReading
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Stores the accounts of pushes in a file, so that they survive the process.
struct PushAccountsFile {
    private(set) var accounts = PushAccounts()
    private var hasChanged = false
    private let path: String
    private let logger: Logger

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
        guard let data = FileManager.default.contents(atPath: path) else { return }
        do {
            self.accounts = try JSONReader().decode(PushAccounts.self, from: data)
        } catch {
            logger.warning("the accounts of pushes cannot be read and start over", metadata: ["file": "\(path)"])
        }
    }

    mutating func record(_ note: Note, time: WallTime) {
        if self.accounts.record(note, time: time) { self.hasChanged = true }
    }

    mutating func forget(_ bundle: BundleID) {
        self.accounts.forget(bundle)
        self.hasChanged = true
        self.saveIfChanged()
    }

    mutating func saveIfChanged() {
        guard self.hasChanged else { return }
        self.hasChanged = false
        do {
            try StateFile.write(JSONEncoder().encode(self.accounts), to: self.path, durability: .process)
        } catch {
            self.logger.error("the accounts of pushes could not be saved", metadata: ["reason": "\(error)"])
        }
    }
}

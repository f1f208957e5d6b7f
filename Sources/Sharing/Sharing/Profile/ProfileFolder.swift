internal import Foundation
internal import WhereaboutsDurableStorage

/// A directory of a ``SharingProfile``, whose files have names.
struct ProfileFolder: Sendable {
    let path: String

    func folder(_ name: String) -> ProfileFolder { ProfileFolder(path: self.path(of: name)) }
    func path(of name: String) -> String { "\(self.path)/\(name)" }

    /// The names of the files, in their order; none if the directory is missing.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted() }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self.path(of: name)) }

    func bytes(of name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: self.path(of: name)).map { [UInt8]($0) }
    }

    func text(of name: String) -> String? { try? String(contentsOfFile: self.path(of: name), encoding: .utf8) }

    func signed<Value: Signable>(_ name: String) -> Signed<Value>? {
        self.bytes(of: name).flatMap { try? Signed(bytes: $0) }
    }

    func replace(
        _ name: String,
        _ bytes: [UInt8],
        _ durability: DurableFile.Durability = .power
    ) throws(SharingError) {
        try ProfileFile.replace(self.path(of: name), bytes, durability)
    }

    /// Writes a file, and makes the directory if it is missing.
    func add(_ name: String, _ bytes: [UInt8], _ durability: DurableFile.Durability = .power) throws {
        try ProfileFile.makeDirectory(self.path)
        try self.replace(name, bytes, durability)
    }

    /// Deletes files, which may be missing.
    func remove(_ names: String...) {
        for name in names { try? FileManager.default.removeItem(atPath: self.path(of: name)) }
    }

    /// Runs `body` under a lock between processes.
    func lock<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
        try FileLock.hold("\(self.path(of: name)).lock", body)
    }

    /// Reads a file with a message for the person if it is damaged.
    func reading<Contents>(_ name: String, _ danger: String, _ read: (String) throws -> Contents) throws -> Contents {
        let path = self.path(of: name)
        do {
            return try read(path)
        } catch {
            // The reader's error asks to get the input again from its author, which does not help with the person's own file.
            throw SharingError(
                .badProfile,
                "\(path) is damaged, and nothing was changed: restore it from a backup; without it \(danger)"
            )
        }
    }

    /// Calls `decide` with a file's contents, and replaces them if they changed, under a lock between processes.
    func change<Contents, Action>(
        _ name: String,
        _ read: ([UInt8]) throws -> Contents,
        _ danger: String,
        _ decide: (Contents?) throws -> (action: Action, bytes: [UInt8]?)
    ) throws -> Action {
        try self.lock(name) {
            let contents: Contents? = try self.reading(name, danger) { path in
                self.has(name) ? try read(Array(Data(contentsOf: URL(filePath: path)))) : nil
            }
            let (action, bytes) = try decide(contents)
            if let bytes { try self.replace(name, bytes) }
            return action
        }
    }
}

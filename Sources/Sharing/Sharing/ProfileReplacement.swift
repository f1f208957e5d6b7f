internal import Foundation

/// A profile with another key that replaces a profile.
///
/// ```
/// PROFILE.new    made by ``begin(from:)``, and used again after an error
/// PROFILE.old    the profile before, once ``finish()`` has moved both; PROFILE.old-2 and so on if there was one
/// ```
///
/// A crash between the two moves leaves no directory PROFILE: ``finishInterrupted()`` does the second move.
public struct ProfileReplacement: Sendable {
    private let path: String
    private var draft: String { self.path + ".new" }

    /// Names the profile to replace.
    public init(of path: String) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    /// Completes the move of the new profile after a crash in ``finish()``.
    ///
    /// - Throws: ``SharingError`` when it cannot be moved.
    public func finishInterrupted() throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: self.path), files.fileExists(atPath: self.draft + "/identity.key"),
            files.fileExists(atPath: self.path + ".old")
        else { return }
        try self.move(self.draft, to: self.path)
    }

    /// Creates the new profile beside the old one, with the same server and certificates, the person's own name and their groups, and
    /// has the old key name the new one.
    ///
    /// - Throws: ``SharingError`` when it cannot be made.
    public func begin(from old: SharingProfile) throws -> SharingProfile {
        let new = try SharingProfile.openOrCreate(path: self.draft, settings: old.settings)
        if let name = old.name(of: old.identity.publicIdentity) { try new.call(new.identity.publicIdentity, name) }
        // The settings name the certificates by their path in the old profile. Copy the file: the new profile is moved to that path.
        let inProfile = self.path + "/trusted.pem"
        if let pem = FileManager.default.contents(atPath: inProfile) {
            try ProfileFile.replace(self.draft + "/trusted.pem", [UInt8](pem))
        }
        try new.addGroups(of: old)
        try new.succeed(old)
        return new
    }

    /// Moves the old profile aside and the new one into its place.
    ///
    /// - Returns: where the old profile is now.
    /// - Throws: ``SharingError`` when one of them cannot be moved.
    public func finish() throws -> String {
        var (kept, number) = (self.path + ".old", 1)
        while FileManager.default.fileExists(atPath: kept) {
            number += 1
            kept = "\(self.path).old-\(number)"
        }
        try self.move(self.path, to: kept)
        try self.move(self.draft, to: self.path)
        return kept
    }

    private func move(_ place: String, to other: String) throws {
        do {
            try FileManager.default.moveItem(atPath: place, toPath: other)
        } catch {
            throw SharingError(
                .badProfile,
                "\(place) cannot be moved to \(other) (\(error)); check the owner of the directory, and run this again"
            )
        }
    }
}

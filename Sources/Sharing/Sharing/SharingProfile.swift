internal import Foundation
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A directory that an app, its extension and the command line share: a person's identity, grants and revocations.
///
/// ```
/// identity.key          the signing key, base64url, mode 0600; absent if an `IdentityStore` keeps the key
/// server.json           ServerSettings
/// grants/ID             a grant, as text
/// revocations/ID        a revocation, as signed bytes
/// links/KEY             what was posted of a link, as signed bytes, by the requester's key in hexadecimal
/// groups/ID             a group of this person, with its secrets (`SharingGroup`)
/// answers               the answers that were given to requests that may come again (`GivenAnswers`), as a list of changes (`AnswersFile`)
/// used                  when grants with a least interval were used (`GrantUses`)
/// journal               the requests and their outcomes, sealed lines of 512 bytes (`JournalChain`)
/// journal.ends          the first and the last line of it, sealed
/// questions/HASH        a request that waits for the person's word, by its digest, and HASH.said, their word (`Question`)
/// followings/HASH       the request of a current live share or schedule by its digest, HASH.run, the runs of the app, HASH.end, a signed end
///                       (`Following`), and HASH.ended, the end of a schedule that the server has confirmed
/// schedules/ID             the request of a schedule that this person started, and the key that opens its answers (`OwnSchedule`)
/// volunteer             the terms on which the person is alerted to emergencies (`VolunteerTerms`)
/// alerts/ID             an alert of the last hour, with the answers that wait (`EmergencyAlert`)
/// incidents/ID          an incident that this person opened as a dispatcher, with its key and place (`OpenIncident`)
/// told                  which answers the person was notified of (`NoticeLog`)
/// device.json           the device that the profile is on: the key that opens its pushes, the app they are for (`ProfileDevice`)
/// answers.lock, groups.lock, used.lock, told.lock, device.json.lock   held by the process that changes them; the first one for the journal, too
/// successions           the messages in which the person's earlier keys name the next one (`KeySuccession`), as texts
/// database              the server's database that has the registration and the revocations (`DatabaseMemory`)
/// registered            when the device last registered with the server, in milliseconds since 1970
/// ```
///
/// Every file is written whole and synchronised before anything depends on it, so that a crash at any moment leaves
/// either the old state or the new one; several processes may use one profile at a time. Lines are appended to the journal and
/// to the answers; a reader drops a last line that a crash left incomplete.
public struct SharingProfile: Sendable {
    /// Where the directory is.
    public let path: String
    /// The person's identity.
    public let identity: Identity
    /// Where the server is.
    public let settings: ServerSettings

    // The parts: each alone reads and writes its files.

    var folder: ProfileFolder { ProfileFolder(path: self.path) }
    var names: NameFile { NameFile(folder: self.folder) }
    var grantFiles: GrantFiles { GrantFiles(folder: self.folder) }
    var linkFiles: LinkFiles { LinkFiles(profile: self.folder, grants: self.grantFiles) }
    package var groups: GroupFiles { GroupFiles(profile: self.folder, own: self.identity.publicIdentity) }
    var awaitedReplies: AwaitedReplies { AwaitedReplies(profile: self.folder) }
    var deviceFile: DeviceFile { DeviceFile(folder: self.folder) }
    package var questionFiles: QuestionFiles { QuestionFiles(profile: self.folder, grants: self.grantFiles) }
    var journalFiles: JournalFiles { JournalFiles(folder: self.folder, identity: self.identity) }
    package var followings: FollowingFiles { FollowingFiles(journal: self.journalFiles) }
    var schedules: ScheduleFiles { ScheduleFiles(profile: self.folder) }
    var volunteerFile: VolunteerFile { VolunteerFile(folder: self.folder) }
    var alertFiles: AlertFiles { AlertFiles(profile: self.folder) }

    /// Creates the records that the device checks before it answers, and changes when it does.
    ///
    /// - Parameter handsOver: whether an app continues the live shares that this process starts.
    /// - Returns: the records.
    package func records(handsOver: Bool = false) -> AnswerRecords {
        AnswerRecords(
            grants: self.grantFiles,
            device: self.deviceFile,
            followings: self.followings,
            journal: self.journalFiles,
            handsOver: handsOver
        )
    }

    /// Opens a profile that exists.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - store: the place of the signing key; the file `identity.key`, if not given.
    /// - Throws: ``SharingError`` naming the file that is missing, damaged or readable by others, or the profile that another user owns; the error of
    ///   the store when it cannot give the key now.
    public init(path: String, identityStore store: (any IdentityStore)? = nil) throws {
        try ProfileOwner.check(path)
        self.path = path
        self.identity = try store.map { try Self.identity(in: $0) } ?? Self.identity(inFileOf: path)
        let settingsPath = path + "/server.json"
        do {
            let json = try Data(contentsOf: URL(filePath: settingsPath))
            let read = try JSONReader().decode(ServerSettings.self, from: json)
            self.settings = try ServerSettings(
                server: read.server,
                trustRoots: read.trustRoots.map { Self.place(of: $0, near: path) }
            )
        } catch {
            throw SharingError(
                .badProfile,
                "\(settingsPath) does not name a server: expected {\"server\":\"https://host:port\"}; "
                    + (store == nil ? Self.creation(path) : "open the app and name the server")
            )
        }
    }

    private static func identity(in store: any IdentityStore) throws -> Identity {
        guard let key = try store.read() else {
            throw SharingError(
                .badProfile,
                "the identity store contains no key yet: open the app and enter the server, which creates it"
            )
        }
        return try Identity(seed: key)
    }

    private static func identity(inFileOf path: String) throws -> Identity {
        let keyPath = path + "/identity.key"
        guard let text = try? String(contentsOfFile: keyPath, encoding: .utf8) else {
            guard FileManager.default.fileExists(atPath: keyPath) else {
                throw SharingError(
                    .noProfile,
                    "there is no identity in \(path): \(Self.creation(path)), or restore \(keyPath) from a backup"
                )
            }
            throw SharingError(
                .badProfile,
                "\(keyPath) cannot be read: it must be a text file that contains the signing key and that you can read; "
                    + "check its owner (`ls -l \(ShellWord.path(keyPath))`), or restore it from a backup"
            )
        }
        // FileManager's attributes include the owner's name, which a directory service on the network may have to look up.
        var status = stat()
        guard unsafe lstat(keyPath, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw SharingError(
                .badProfile,
                "\(keyPath) can be read by others, but only its owner may read a signing key; "
                    + "run `chmod 600 \(ShellWord.path(keyPath))`"
            )
        }
        guard let seed = Base64URL.bytes(of: text.filter { !$0.isWhitespace }) else {
            throw SharingError(.badProfile, "\(keyPath) is damaged: expected base64url of 32 bytes; restore the file")
        }
        return try Identity(seed: seed)
    }

    /// The present path of a file with certificates: in the profile or beside it, as `whereabouts init` creates it,
    /// after that directory was moved.
    private static func place(of trustRoots: String, near profile: String) -> String {
        guard !FileManager.default.fileExists(atPath: trustRoots) else { return trustRoots }
        let (name, profile) = (URL(fileURLWithPath: trustRoots).lastPathComponent, URL(fileURLWithPath: profile))
        let places = [profile, profile.deletingLastPathComponent()].map { directory in
            directory.appendingPathComponent(name).standardizedFileURL.path(percentEncoded: false)
        }
        return places.first { FileManager.default.fileExists(atPath: $0) } ?? trustRoots
    }

    /// The command that creates missing parts of a profile.
    private static func creation(_ path: String) -> String {
        "run `whereabouts identity create --profile \(ShellWord.path(path)) --server https://host:port`"
    }

    /// Opens a profile, after creating missing parts: the directory, the identity, the settings.
    ///
    /// - Parameters:
    ///   - path: where the directory is, or will be; missing parents are created, for this user alone.
    ///   - settings: the server; replaces earlier settings.
    ///   - store: the place of the signing key; the file `identity.key`, if not given.
    /// - Returns: the profile.
    /// - Throws: when a directory or file cannot be made, or the profile cannot be opened then.
    public static func openOrCreate(
        path: String,
        settings: ServerSettings,
        identityStore store: (any IdentityStore)? = nil
    ) throws -> SharingProfile {
        let settings = try settings.checked()
        try ProfileOwner.check(path)
        do {
            try ProfileFile.makeDirectories(path)
            for directory in ["/grants", "/revocations"] { try ProfileFile.makeDirectory(path + directory) }
        } catch {
            throw SharingError(
                .badProfile,
                "\(path) cannot be created; give a path in a directory that you own"
            )
        }
        // False means that another process has just created a key, which both then use.
        if let store {
            if try store.read() == nil { _ = try store.create(Identity().seed) }
        } else if !FileManager.default.fileExists(atPath: path + "/identity.key") {
            _ = try ProfileFile.create(path + "/identity.key", Array("\(Base64URL.text(of: Identity().seed))\n".utf8))
        }
        try ProfileFile.replace(path + "/server.json", Array(JSONEncoder().encode(settings)))
        return try SharingProfile(path: path, identityStore: store)
    }
}

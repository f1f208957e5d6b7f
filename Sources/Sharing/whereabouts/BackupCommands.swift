internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

/// `whereabouts backup`: writes the profile to a file, sealed under a passphrase.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up your identity, grants, friends and journal to an encrypted file.",
        discussion: """
            Keep the file away from the device, and the passphrase away from the file: with both, anyone can act as you. For a new phone, run \
            `whereabouts restore` there. For a lost phone, restore the backup elsewhere and run `whereabouts identity replace`. Damaged files \
            are backed up as they are, and named.

            Exit codes:
              0  backed up
              1  nothing was backed up; or it was, and a file is damaged
            """
    )

    @Argument(help: ArgumentHelp("The new file.", valueName: "file"))
    var file: String
    @OptionGroup var profile: ProfileOption
    @OptionGroup var passphrase: PassphraseOption

    func run() async throws {
        let profile = try self.profile.open()
        guard !FileManager.default.fileExists(atPath: self.file) else {
            throw SharingError(.badProfile, "\(self.file) exists, and may be a backup; give another name")
        }
        let backup = try profile.backup(passphrase: self.passphrase.read(twice: true))
        // The file is readable only by its owner, from the first byte on.
        let descriptor = unsafe open(self.file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw SharingError(
                .badProfile,
                "\(self.file) cannot be made (\(reason)); give a file in one of your directories"
            )
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(backup))
            try handle.synchronize()
        } catch {
            try? FileManager.default.removeItem(atPath: self.file)
            throw SharingError(
                .badProfile,
                "\(self.file) cannot be written (\(error.localizedDescription)); free space there"
            )
        }
        try printLine("sealed: \(self.file), \(backup.count) bytes")
        let damage = try profile.damage()
        for trouble in damage { printTrouble("backup: \(trouble.message)") }
        guard damage.isEmpty else {
            throw SharingError(
                .badProfile,
                "The backup contains damaged files. Repair them and make another backup; keep an earlier backup until then."
            )
        }
    }
}

/// `whereabouts restore`: restores the profile from a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore your profile from a backup; no profile may exist there yet.",
        discussion: """
            Grants that you revoked after the backup hold again on this device until you revoke them again; the \
            printed list shows the valid grants. If two devices have the same identity, requests go to the device \
            that was chosen last: to this one, once its app has run. `whereabouts devices` lists them, and chooses.
            """
    )

    @Argument(help: ArgumentHelp("The file that `whereabouts backup` made.", valueName: "file"))
    var file: String
    @OptionGroup var profile: ProfileOption
    @OptionGroup var passphrase: PassphraseOption

    func run() async throws {
        guard let backup = FileManager.default.contents(atPath: self.file) else {
            throw SharingError(.badProfile, "\(self.file) cannot be read. Name a file that `whereabouts backup` made.")
        }
        let passphrase = try self.passphrase.read(twice: false)
        let profile = try SharingProfile.restore([UInt8](backup), passphrase: passphrase, path: self.profile.profile)
        try printLine(
            "restored: \(self.profile.profile), safety number \(profile.identity.publicIdentity.safetyNumber)"
        )
        try GrantsCommand.show(profile, json: false)
    }
}

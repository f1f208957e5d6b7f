internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

/// `whereabouts backup`: who one is, in a file under a passphrase.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Seal your home under a passphrase: the key, the grants, the revocations, the friends, the journal.",
        discussion: """
            Keep the file in another place than the device, and the passphrase in another place than the file: whoever has both is you. A \
            new phone is `whereabouts restore`; a lost one is that, and then `whereabouts identity replace`. A file that is damaged is sealed as \
            it is, and named.

            Exit codes:
              0  sealed
              1  nothing is sealed; or it is, with a file that is damaged
            """
    )

    @Argument(help: ArgumentHelp("The new file.", valueName: "file"))
    var file: String
    @OptionGroup var home: HomeOption
    @OptionGroup var passphrase: PassphraseOption

    func run() async throws {
        let home = try self.home.open()
        guard !FileManager.default.fileExists(atPath: self.file) else {
            throw SharingError(.badHome, "\(self.file) exists, and may be a backup; give another name")
        }
        let backup = try home.backup(passphrase: self.passphrase.read(twice: true))
        // Its owner's alone from the first byte on.
        let descriptor = unsafe open(self.file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw SharingError(.badHome, "\(self.file) cannot be made (\(reason)); give a file in a directory of yours")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(backup))
            try handle.synchronize()
        } catch {
            try? FileManager.default.removeItem(atPath: self.file)
            throw SharingError(
                .badHome,
                "\(self.file) cannot be written (\(error.localizedDescription)); free space there"
            )
        }
        try printLine("sealed: \(self.file), \(backup.count) bytes")
        let damage = try home.damage()
        for trouble in damage { printTrouble("backup: \(trouble.message)") }
        guard damage.isEmpty else {
            throw SharingError(
                .badHome,
                "the backup holds damaged files as they are: mend them, and make another one; keep an earlier one until then"
            )
        }
    }
}

/// `whereabouts restore`: the home of a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make your home from a backup, where there is none.",
        discussion: """
            Grants that you revoked after the backup hold again on this device until you revoke them again; the list that is printed shows \
            those that hold. Of two devices with one identity the one that \
            was chosen last is asked: this one, once its app has run. `whereabouts devices` lists them, and chooses.
            """
    )

    @Argument(help: ArgumentHelp("The file that `whereabouts backup` made.", valueName: "file"))
    var file: String
    @OptionGroup var home: HomeOption
    @OptionGroup var passphrase: PassphraseOption

    func run() async throws {
        guard let backup = FileManager.default.contents(atPath: self.file) else {
            throw SharingError(.badHome, "\(self.file) cannot be read: the file that `whereabouts backup` made is due")
        }
        let passphrase = try self.passphrase.read(twice: false)
        let home = try SharingHome.restore([UInt8](backup), passphrase: passphrase, path: self.home.home)
        try printLine("restored: \(self.home.home), safety number \(home.identity.publicIdentity.safetyNumber)")
        try GrantsCommand.show(home, json: false)
    }
}

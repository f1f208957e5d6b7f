internal import Glibc
internal import WhereaboutsDurableStorage

/// The directories and the program that locationd needs before it reads its state.
extension DaemonConfiguration {
    /// Creates the missing directories, and checks their owners and modes.
    ///
    /// - Returns: the configuration, with the real path of the state directory.
    func withDirectories() throws(DaemonError) -> DaemonConfiguration {
        func check(_ fault: OwnDirectory.Fault?) throws(DaemonError) {
            if let fault { throw DaemonError("\(fault.words); \(fault.remedy)") }
        }
        var configuration = self
        try StateFile.makeDirectory(self.stateDirectory, orElse: "name another one with --state")
        // Check the given name, too: another user could replace a directory on its path.
        try check(OwnDirectory.fault(in: self.stateDirectory))
        // Marks and cgroups are derived from this path; with another path for it, apps would not be found again.
        configuration.stateDirectory = OwnDirectory.real(self.stateDirectory)
        for name in ["/containers", "/output"] { try StateFile.makeDirectory(configuration.stateDirectory + name) }
        try StateFile.makeDirectory(
            self.runtimeDirectory,
            orElse: "name another one with --runtime, or set XDG_RUNTIME_DIR, as a login does"
        )
        try check(OwnDirectory.fault(ofRuntime: self.runtimeDirectory))
        return configuration
    }

    /// Locks the directories, so that no other locationd uses them.
    func lockDirectories() throws(DaemonError) -> [ExclusiveLock] {
        [try Self.lock(self.stateDirectory, "--state"), try Self.lock(self.runtimeDirectory, "--runtime")]
    }

    private static func lock(_ directory: String, _ option: String) throws(DaemonError) -> ExclusiveLock {
        do throws(DurableFileError) {
            if let lock = try ExclusiveLock(directory + "/lock") { return lock }
        } catch {
            throw DaemonError("\(error)")
        }
        throw DaemonError("another locationd uses \(directory); stop it, or name another directory with \(option)")
    }

    /// Checks that the program that starts apps can be run.
    func checkLauncher() throws(DaemonError) {
        guard unsafe access(self.launcherPath, X_OK) == 0 else {
            throw DaemonError(
                "\(self.launcherPath) is missing or not executable; locationd starts apps with it: "
                    + "install location-launch there, or name it with --launcher"
            )
        }
    }
}

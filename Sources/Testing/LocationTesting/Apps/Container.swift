internal import Foundation
internal import Glibc

/// The files and defaults of an app.
///
/// They outlive the app's processes and its updates; uninstalling the app removes them.
///
/// The app and its extension share one container, as under `locationd`.
@safe final class Container {
    /// The parent of all containers, read before an app's code runs: for app code, TMPDIR is the app's own.
    private static let root = NSTemporaryDirectory()

    /// The values of `UserDefaults.standard`.
    var defaults: [String: Any] = [:]
    /// The defaults that the app's process registered; they end with the process.
    var registered: [String: Any] = [:]
    /// Created on first use: few apps under test have files.
    private var paths: (home: UnsafeMutablePointer<CChar>, temporary: UnsafeMutablePointer<CChar>)?

    init() {
        _ = Self.root
        ContainedDefaults.install()
    }

    /// The home directory; it contains `tmp`.
    var home: UnsafePointer<CChar> { unsafe UnsafePointer(self.made().home) }

    /// The home directory, for code of the test.
    var directory: URL { unsafe URL(filePath: String(cString: self.home), directoryHint: .isDirectory) }

    /// Removes all files and defaults; the directories stay.
    func empty() {
        self.defaults = [:]
        let files = FileManager.default
        let places = [self.directory, self.directory.appending(path: "tmp")]
        for place in places {
            let names = (try? files.contentsOfDirectory(atPath: place.path(percentEncoded: false))) ?? []
            for name in names where name != "tmp" { try? files.removeItem(at: place.appending(path: name)) }
        }
    }

    /// The directory for temporary files.
    var temporary: UnsafePointer<CChar> { unsafe UnsafePointer(self.made().temporary) }

    // `getenv` calls this: nothing here may read an environment variable.
    private func made() -> (home: UnsafeMutablePointer<CChar>, temporary: UnsafeMutablePointer<CChar>) {
        if let paths = unsafe self.paths { return unsafe paths }
        var template = Array((Self.root + "virtual-app-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil, let home = unsafe strdup(template) else {
            preconditionFailure("no directory for an app under test in \(Self.root): errno \(errno)")
        }
        guard let temporary = unsafe strdup(unsafe String(cString: home) + "/tmp"),
            unsafe mkdir(temporary, 0o700) == 0
        else {
            preconditionFailure("no directory for temporary files of an app under test: errno \(errno)")
        }
        unsafe self.paths = (home, temporary)
        return unsafe (home, temporary)
    }

    deinit {
        guard let paths = unsafe self.paths else { return }
        // Files that an app made read-only stay in the temporary directory.
        try? unsafe FileManager.default.removeItem(atPath: String(cString: paths.home))
        unsafe free(paths.home)
        unsafe free(paths.temporary)
    }
}

extension Container {
    /// The container of the app whose code runs on this thread; nil for all other code.
    static var current: Container? {
        guard let host = DeviceHost.current else { return nil }
        return host.processes.current.flatMap { host.apps.containers[$0.bundle] }
    }

    /// The environment of a separate process.
    var environment: [String: String] {
        let home = unsafe String(cString: self.home)
        return ["HOME": home, "CFFIXED_USER_HOME": home, "TMPDIR": unsafe String(cString: self.temporary)]
    }
}

/// Called for the variables that name a home directory, on a thread that runs a device; NULL: no app's code runs.
@_cdecl("whereabouts_virtual_time_home")
func containedHome(_ isTemporary: Int32) -> UnsafePointer<CChar>? {
    guard let container = Container.current else { return nil }
    return unsafe isTemporary != 0 ? container.temporary : container.home
}

internal import Foundation
internal import WhereaboutsGeoClue

/// The folders of `.desktop` files, according to freedesktop.org's specifications.
struct DesktopFiles {
    /// Directories that only Flatpak writes to.
    private let ofFlatpak: [String]
    /// The directories of the user and of the machine.
    private let ofAll: [String]

    init(environment: [String: String]) {
        func named(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = named("HOME") ?? "/nonexistent"
        let own = named("XDG_DATA_HOME") ?? "\(home)/.local/share"
        let others = environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
        self.ofFlatpak = ["\(own)/flatpak/exports/share", "/var/lib/flatpak/exports/share"]
        self.ofAll = [own] + others.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init) + self.ofFlatpak
    }

    /// The entry of an app's `.desktop` file; nil: there is no such file.
    ///
    /// For an app in a sandbox, only files that Flatpak wrote are used, because the app must not choose its own name.
    func entry(of asker: Asker) -> DesktopEntry? {
        let folders = asker.evidence == .flatpak ? self.ofFlatpak : self.ofAll
        for folder in folders {
            let path = "\(folder)/applications/\(asker.desktopID).desktop"
            guard
                let size = try? FileManager.default.attributesOfItem(
                    atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path
                )[.size] as? Int,
                size <= DesktopEntry.fileBytesMax, let data = FileManager.default.contents(atPath: path)
            else { continue }
            return DesktopEntry(String(decoding: data, as: UTF8.self))
        }
        return nil
    }
}

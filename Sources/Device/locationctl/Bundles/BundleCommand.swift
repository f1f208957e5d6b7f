internal import ArgumentParser
internal import Foundation

/// `locationctl bundle`.
struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Make Name.app from SwiftPM's executables and the property lists next to their sources.",
        discussion: """
            --app and --extension name a folder with Info.plist and, where needed, Entitlements.plist; the executable \
            that Info.plist names with CFBundleExecutable is taken from --products.

            Example:
              swift build
              locationctl bundle --app Sources/FindFriends --extension Sources/FindFriendsLocationPush \\
                  --products "$(swift build --show-bin-path)" --output .
            """
    )

    @Option(help: ArgumentHelp("The folder with the app's plists.", valueName: "folder"), completion: .directory)
    var app: String
    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp("The folder with the plists of its location push extension.", valueName: "folder"),
        completion: .directory
    )
    var pushExtension: String?
    @Option(help: ArgumentHelp("Folder with SwiftPM's executables.", valueName: "folder"), completion: .directory)
    var products: String
    @Option(help: ArgumentHelp("Folder for Name.app [the current one].", valueName: "folder"), completion: .directory)
    var output = "."

    func run() throws {
        let files = FileManager.default
        let name = try self.executableName(in: self.app)
        let place = "\(self.output)/\(name).app"
        let staging = "\(self.output)/.\(name).app.new"
        try? files.removeItem(atPath: staging)
        try self.assemble(self.app, at: staging)
        if let pushExtension {
            let inside = try self.executableName(in: pushExtension)
            try self.assemble(pushExtension, at: "\(staging)/PlugIns/\(inside).appex")
        }
        guard !files.fileExists(atPath: place) || files.fileExists(atPath: place + "/Info.plist") else {
            try? files.removeItem(atPath: staging)
            throw Refused("\(place) exists and is not a bundle; move it away, or name another folder with --output")
        }
        do {
            try? files.removeItem(atPath: place)
            try files.moveItem(atPath: staging, toPath: place)
        } catch {
            throw Refused("cannot move the bundle to \(place): \(error.localizedDescription)")
        }
        print(place)
    }

    private func assemble(_ folder: String, at place: String) throws {
        let files = FileManager.default
        let name = try self.executableName(in: folder)
        let product = "\(self.products)/\(name)"
        guard files.isExecutableFile(atPath: product) else {
            throw Refused(
                "\(product) is missing or not executable; CFBundleExecutable in \(folder)/Info.plist names it, and "
                    + "`swift build --product \(name)` builds it"
            )
        }
        do {
            try files.createDirectory(atPath: place, withIntermediateDirectories: true)
            try files.copyItem(atPath: "\(folder)/Info.plist", toPath: "\(place)/Info.plist")
            try files.copyItem(atPath: product, toPath: "\(place)/\(name)")
            let entitlements = "\(folder)/Entitlements.plist"
            if files.fileExists(atPath: entitlements) {
                try files.copyItem(atPath: entitlements, toPath: "\(place)/Entitlements.plist")
            }
        } catch {
            throw Refused("cannot make \(place): \(error.localizedDescription)")
        }
    }

    private func executableName(in folder: String) throws -> String {
        let path = "\(folder)/Info.plist"
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Refused("\(path) is missing or cannot be read; a bundle is made from a folder with an Info.plist")
        }
        guard let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { throw Refused("\(path) is not a property list with a dictionary at its root") }
        guard let name = list["CFBundleExecutable"] as? String, !name.isEmpty, !name.contains("/") else {
            throw Refused("\(path): the key CFBundleExecutable is missing; it names the executable, as a file name")
        }
        return name
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsVocabulary

/// `locationctl new`.
struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create an app with a location push service extension: a SwiftPM package that builds at once."
    )

    @Argument(help: "The app's name, such as FindFriends; letters and digits.") var name: String
    @Option(help: ArgumentHelp("The app's bundle identifier.", valueName: "identifier")) var bundle: String
    @Option(
        help: ArgumentHelp(
            "Folder of the Whereabouts package, or the URL of its repository.",
            valueName: "place"
        )
    )
    var whereabouts: String

    func validate() throws {
        let isName = self.name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        guard isName, let first = self.name.first, !first.isNumber else {
            throw ValidationError("the name must be letters and digits and begin with a letter, not '\(self.name)'")
        }
        guard !TakenNames.words.contains(self.name) else {
            throw ValidationError(
                "'\(self.name)' is a word of Swift or a module that the app imports; choose another name"
            )
        }
        guard !TakenNames.isModuleOfThisGraph(self.name) else {
            throw ValidationError(
                "'\(self.name)' is the name of a module in the app's package graph, or begins like one; choose another name"
            )
        }
        guard !self.whereabouts.contains(where: { "\"\\\n".contains($0) }) else {
            throw ValidationError("--whereabouts must be a folder or a URL, without quotes, backslashes and line ends")
        }
        guard self.isPackage else {
            throw ValidationError(
                "--whereabouts must be the folder of the Whereabouts package, or the URL of its repository; '\(self.whereabouts)' is neither"
            )
        }
        guard self.bundle.contains("."), !self.bundle.hasSuffix("."), "\(self.bundle).LocationPush".isBundleIdentifier
        else {
            throw ValidationError(
                "--bundle must be like com.example.\(self.name), of letters, digits, hyphens and single dots, 142 at most; "
                    + "it is '\(self.bundle)'"
            )
        }
        guard !self.bundle.isReservedBundleIdentifier else {
            throw ValidationError(
                "--bundle must not begin with geoclue. or locationd., which are kept for apps that stand for other programs; "
                    + "it is '\(self.bundle)'"
            )
        }
    }

    /// Whether SwiftPM can find the package at this path; a remote repository is checked by the first build.
    private var isPackage: Bool {
        let files = FileManager.default
        let isFar = self.whereabouts.contains("://") || self.whereabouts.contains("@")
        // A bare repository on this machine.
        let isRepository = files.fileExists(atPath: self.whereabouts + "/HEAD")
        guard !isFar, !isRepository else { return true }
        let manifest = try? String(contentsOfFile: self.whereabouts + "/Package.swift", encoding: .utf8)
        return manifest?.contains("name: \"whereabouts\"") ?? false
    }

    func run() throws {
        let files = FileManager.default
        guard !files.fileExists(atPath: self.name) else {
            throw Refused("\(self.name) exists already; remove it, or choose another name")
        }
        let template = AppTemplate(name: self.name, bundle: self.bundle, whereabouts: self.whereabouts)
        for (path, content) in template.files {
            let place = "\(self.name)/\(path)"
            do {
                try files.createDirectory(
                    atPath: (place as NSString).deletingLastPathComponent,
                    withIntermediateDirectories: true
                )
                try Data(content.utf8).write(to: URL(fileURLWithPath: place))
            } catch {
                throw Refused("cannot write \(place): \(error.localizedDescription)")
            }
        }
        print(
            """
            \(self.name)/ is ready:
              cd \(self.name) && swift build
              locationctl bundle --app Sources/\(self.name) --extension Sources/\(self.name)LocationPush \
            --products "$(swift build --show-bin-path)"
              locationctl install \(self.name).app && locationctl run \(self.bundle)
            """
        )
    }
}

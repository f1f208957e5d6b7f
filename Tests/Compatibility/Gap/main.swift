internal import Compatibility
internal import Foundation

// `make gap`: what of Apple's interface is missing in the module CoreLocation that was built beside this program.
// `make docs`: the module's documentation. Both are run in the repository.

let root = URL(filePath: FileManager.default.currentDirectoryPath)
do {
    switch Array(CommandLine.arguments.dropFirst()) {
    case []:
        let gap = try await Gap.ofRepository(at: root)
        print(gap.report)
        exit(gap.isClosed ? 0 : 1)
    case ["docs"]:
        let output = root.appending(path: ".build/documentation")
        let catalog = root.appending(path: "Sources/Apps/CoreLocation/Documentation.docc")
        try await BuiltModule().makeDocumentation(from: catalog, to: output)
        print("docs: \(output.path); to read them: docc preview, or any web server")
    default:
        FileHandle.standardError.write(Data("usage: gap [docs]\n".utf8))
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("gap: \(error)\n".utf8))
    exit(2)
}

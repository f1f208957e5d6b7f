internal import Compatibility
internal import Foundation

// `make gap`: what of Apple's interface is missing in the module CoreLocation that was built beside this program.

do {
    let gap = try await Gap.ofRepository(at: URL(filePath: FileManager.default.currentDirectoryPath))
    print(gap.report)
    exit(gap.isClosed ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("gap: \(error)\n".utf8))
    exit(2)
}

import CoreLocation
import Foundation

/// A program that answers location pushes.
enum SharingProgram {
    @MainActor static func main() async throws {
        let sharer = Friends()
        try await Task.sleep(for: .seconds(86_400))
        withExtendedLifetime(sharer) {}
    }
}

/// A program that exits with the number of earlier launches, from its defaults and from a file, or 9 if they differ.
enum RememberingProgram {
    @MainActor static func main() async throws {
        let file = URL(fileURLWithPath: NSHomeDirectory() + "/launches")
        let written = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int32($0) } ?? 0
        let launches = Int32(UserDefaults.standard.integer(forKey: "launches"))
        UserDefaults.standard.set(Int(launches) + 1, forKey: "launches")
        try "\(written + 1)".write(to: file, atomically: true, encoding: .utf8)
        // Defaults are written when the program waits next.
        try await Task.sleep(for: .seconds(1))
        exit(launches == written ? launches : 9)
    }
}

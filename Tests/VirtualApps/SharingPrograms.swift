import CoreLocation
import Foundation

/// A program that lets its device be asked for its place.
enum SharingProgram {
    @MainActor static func main() async throws {
        let sharer = Friends()
        try await Task.sleep(for: .seconds(86_400))
        withExtendedLifetime(sharer) {}
    }
}

/// A program that ends with the number of launches before it, by its defaults and by a file, or 9 where they differ.
enum RememberingProgram {
    @MainActor static func main() async throws {
        let file = URL(fileURLWithPath: NSHomeDirectory() + "/launches")
        let written = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int32($0) } ?? 0
        let launches = Int32(UserDefaults.standard.integer(forKey: "launches"))
        UserDefaults.standard.set(Int(launches) + 1, forKey: "launches")
        try "\(written + 1)".write(to: file, atomically: true, encoding: .utf8)
        // Defaults are written down when the program waits next.
        try await Task.sleep(for: .seconds(1))
        exit(launches == written ? launches : 9)
    }
}

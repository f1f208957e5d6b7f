internal import Foundation
internal import SystemSimulator
internal import Testing

/// A failing scenario that `simulate` stored in a file of `Kept`; the file's name describes the fault.
struct KeptScenario: Sendable, CustomTestStringConvertible {
    let path: String

    var testDescription: String { String(self.path.split(separator: "/").last ?? "") }

    func read() throws -> Scenario {
        try JSONDecoder().decode(Scenario.self, from: Data(contentsOf: URL(filePath: self.path)))
    }

    static func all() throws -> [KeptScenario] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Kept")
            .path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted()
            .map { KeptScenario(path: "\(folder)/\($0)") }
    }
}

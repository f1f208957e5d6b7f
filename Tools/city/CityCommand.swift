import ArgumentParser
import Foundation

/// `city`: compares rules that alert first responders.
@main
struct CityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "city",
        abstract: "Compare rules that alert first responders, in a simulated city.",
        discussion: "Every rule meets the same people. Prints a table; --json and --page also write files."
    )

    @Option(help: "The seed of all random choices.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("The number of incidents of each setting.", valueName: "count"))
    var incidents = 400

    @Option(help: ArgumentHelp("Write all rows as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write a page with plots.", valueName: "file"))
    var page: String?

    func validate() throws {
        guard (1...100_000).contains(self.incidents) else {
            throw ValidationError("--incidents must be from 1 to 100000.")
        }
    }

    func run() throws {
        let files = try [self.json, self.page].map { try $0.map(Self.created) }
        let rows = CityRow.all(seed: self.seed, incidents: self.incidents)
        print(CityRow.table(rows))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try files[0]?.write(contentsOf: encoder.encode(rows))
        try files[1]?.write(
            contentsOf: Data(CityPage(rows: rows, seed: self.seed, incidents: self.incidents).html.utf8)
        )
    }

    /// Creates a file before the simulation, which takes a while.
    private static func created(_ path: String) throws -> FileHandle {
        let isCreated = FileManager.default.createFile(atPath: path, contents: nil)
        guard isCreated, let file = FileHandle(forWritingAtPath: path) else {
            throw ValidationError(
                "\(path) cannot be written. Name a file in a folder that exists and that you may write to."
            )
        }
        return file
    }
}

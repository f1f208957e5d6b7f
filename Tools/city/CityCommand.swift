import ArgumentParser
import Foundation
import WhereaboutsSharingEngine
import WhereaboutsVocabulary

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
        guard (1...100_000).contains(self.incidents) else { throw ValidationError("--incidents takes 1 to 100000") }
    }

    func run() throws {
        let rows = CityRow.all(seed: self.seed, incidents: self.incidents)
        print(CityRow.table(rows))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        if let json { try encoder.encode(rows).write(to: URL(filePath: json)) }
        if let page {
            try Data(CityPage(rows: rows, seed: self.seed, incidents: self.incidents).html.utf8).write(
                to: URL(filePath: page)
            )
        }
    }
}

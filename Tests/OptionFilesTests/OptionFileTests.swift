internal import ArgumentParser
internal import Foundation
internal import Testing

@testable internal import WhereaboutsOptionFiles

/// A command with an option of each kind.
private struct Boat: ParsableCommand {
    @Option var config: [String] = []
    @Option var port: String?
    @Option var mate: [String] = []
    @Flag var anchored = false
    @Option var logLevel = "info"
    @Option var speed = 1.0

    func validate() throws {
        if self.anchored, self.port == "nowhere" { throw ValidationError("a boat is anchored in a port") }
    }
}

/// A command with a required option.
private struct Quay: ParsableCommand {
    @Option var name: String
    @Option var length: Int
}

/// Tests for files of options, and for the sources with a higher priority.
@Suite struct OptionFileTests {
    private func arguments(_ toml: String) throws -> [String] {
        try LayeredArguments(OptionFile(toml: toml, name: "boat.toml"), for: CommandOptions(of: Boat.self)).arguments
    }

    @Test func everyKindOfOptionIsRead() throws {
        let toml = """
            # A comment.
            port = "Cuxhaven"
            mate = ["Ada", 'Bob', 3]
            anchored = true
            log-level = "debug"
            """
        #expect(
            try self.arguments(toml)
                == ["--anchored", "--log-level=debug", "--mate=Ada", "--mate=Bob", "--mate=3", "--port=Cuxhaven"]
        )
        #expect(try self.arguments("anchored = false\nmate = \"Ada\"") == ["--mate=Ada"])
        #expect(try self.arguments("") == [])
        #expect(try Boat.parse(self.arguments(toml)).mate == ["Ada", "Bob", "3"])
    }

    @Test(arguments: [
        ("prot = \"Cuxhaven\"", "'prot' is not an option of boat"),
        ("help = true", "'help' is not an option of boat"),
        ("config = \"other\"", "'config' is not an option of boat"),
        ("anchored = \"yes\"", "'anchored' must be true or false"),
        ("port = true", "'port' needs a text"),
        ("port = [\"a\"]", "'port' accepts one value"),
        ("port = 2026-11-22", "'port' is a"),
        ("mate = [[1]]", "'mate' has a list with an entry"),
        ("[boat]\nport = \"a\"", "has [boat]"),
        ("port = ", "is not valid TOML"),
        ("port = \"a\"\nport = \"b\"", "is not valid TOML"),
    ])
    func aMistakeIsNamed(_ toml: String, _ words: String) {
        let error = #expect(throws: OptionFileError.self) { try self.arguments(toml) }
        #expect(
            error.map { $0.description.hasPrefix("boat.toml") && $0.description.contains(words) } == true,
            "\(error as Any)"
        )
    }

    @Test func aFileOfSeveralCommandsHasTitles() throws {
        let file = try OptionFile(toml: "[boat]\nport = \"a\"", name: "fleet.toml")
        let boat = try file.table("boat", of: ["boat", "quay"])
        let quay = try file.table("quay", of: ["boat", "quay"])
        let options = CommandOptions(of: Boat.self)
        #expect(try LayeredArguments(boat, for: options).arguments == ["--port=a"])
        #expect(try LayeredArguments(quay, for: options).arguments == [])
        let error = #expect(throws: OptionFileError.self) { try file.table("quay", of: ["quay"]) }
        #expect(error?.description == "fleet.toml has [boat]: only [quay] may be there")
        let stray = try OptionFile(toml: "port = \"a\"", name: "fleet.toml")
        #expect(throws: OptionFileError.self) { try stray.table("boat", of: ["boat"]) }
    }

    @Test func aListOfTablesHasFields() throws {
        let toml = "[boat]\nport = \"a\"\n[[mates]]\nname = \"Ada\"\nage = 3.5\n[[mates]]\nname = \"Bob\"\nage = 4"
        let file = try OptionFile(toml: toml, name: "fleet.toml")
        let mates = try file.list("mates", fields: ["name", "age"])
        #expect(mates == [["name": "Ada", "age": "3.5"], ["name": "Bob", "age": "4"]])
        #expect(try file.list("guests", fields: ["name"]).isEmpty)
        _ = try file.table("boat", of: ["boat"], besides: ["mates"])
        let error = #expect(throws: OptionFileError.self) { try file.table("boat", of: ["boat"]) }
        #expect(error?.description == "fleet.toml has [[mates]]: only [boat] may be there")
        for (fields, rule) in [
            (["name"], "'age' is not one of name"), (["name", "age", "boat"], "'boat' is missing"),
        ] {
            let error = #expect(throws: OptionFileError.self) { try file.list("mates", fields: fields) }
            #expect(error?.description == "fleet.toml [[mates]]: \(rule)")
        }
    }

    /// A directory of files, removed after the test.
    private func withFiles(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        for (name, text) in files { try Data(text.utf8).write(to: place.appending(path: name)) }
        try body(place.path)
    }

    private func layers(_ given: [String], _ environment: [String: String] = [:]) throws -> LayeredArguments {
        try LayeredArguments(
            Boat.self,
            given: given,
            environment: environment,
            prefix: "BOAT_",
            others: ["BOAT_NAME"],
            exists: { FileManager.default.fileExists(atPath: $0) }
        )
    }

    private func layered(_ given: [String], _ environment: [String: String] = [:]) throws -> Boat {
        try #require(self.layers(given, environment).parsed(as: Boat.self) as? Boat)
    }

    /// Goal: an error names the source of the value that caused it, unless it is on the command line.
    @Test func theOriginOfAWrongValueIsNamed() throws {
        func complaint(_ given: [String], _ environment: [String: String] = [:]) throws -> String {
            let layers = try self.layers(given, environment)
            let error = #expect(throws: (any Error).self) { try layers.parsed(as: Boat.self) }
            return (error as? OptionFileError)?.description ?? "the command line"
        }
        try self.withFiles(["boat.toml": "speed = \"fast\"\nport = \"all\""]) { place in
            let file = ["--config", "\(place)/boat.toml"]
            let own = try complaint(file + ["--mate=a"], ["BOAT_LOG_LEVEL": "loud"])
            #expect(own.hasPrefix("speed in \(place)/boat.toml: ") && own.contains("'fast'"), "\(own)")
            let variable = try complaint(file, ["BOAT_SPEED": "quick"])
            #expect(variable.hasPrefix("the variable BOAT_SPEED: "), "\(variable)")
            #expect(try complaint(file + ["--speed", "slow"]) == "the command line")
            #expect(try complaint(["--sped", "1"], ["BOAT_PORT": "a"]) == "the command line")
            // Neither of two mutually exclusive options is on the command line, so the first one is named.
            let both = try complaint([], ["BOAT_PORT": "nowhere", "BOAT_ANCHORED": "true"])
            #expect(both.hasPrefix("the variable BOAT_ANCHORED: "), "\(both)")
            #expect(try complaint(["--anchored"], ["BOAT_PORT": "nowhere"]).hasPrefix("the variable BOAT_PORT: "))
        }
    }

    /// Goal: an error in a file for several commands names the file, the section and the option.
    @Test func thePlaceInAFileForSeveralCommandsIsNamed() throws {
        let toml = "[boat]\nspeed = \"fast\"\nport = \"all\"\n[quay]\nname = \"a\"\n"
        let file = try OptionFile(toml: toml, name: "fleet.toml")
        func complaint(_ title: String, _ command: any ParsableCommand.Type) throws -> String? {
            let table = try file.table(title, of: ["boat", "quay"])
            let layers = try LayeredArguments(table, for: CommandOptions(of: command, of: "fleet"))
            return #expect(throws: OptionFileError.self) { try layers.parsed(as: command) }?.description
        }
        let speed = try complaint("boat", Boat.self)
        #expect(speed?.hasPrefix("speed in fleet.toml [boat]: ") == true, "\(speed ?? "")")
        // A missing option has no source.
        let length = try complaint("quay", Quay.self)
        #expect(length?.hasPrefix("fleet.toml [quay]: Missing expected argument '--length") == true, "\(length ?? "")")
    }

    /// Goal: a variable sets a flag as a file does, and a value other than yes or no is an error.
    @Test func aVariableOfAFlagIsTrueOrFalse() throws {
        try self.withFiles(["all.toml": "anchored = true", "own.toml": "anchored = false"]) { place in
            let (all, own) = (["--config", "\(place)/all.toml"], ["--config", "\(place)/own.toml"])
            let boats = [
                try self.layered([], ["BOAT_ANCHORED": "true"]), try self.layered(all),
                try self.layered(["--anchored"], ["BOAT_ANCHORED": "false"]),
                try self.layered(all, ["BOAT_ANCHORED": "false"]),
                // The later file has priority, also when it says no.
                try self.layered(all + own), try self.layered(own + all),
            ]
            #expect(boats.map(\.anchored) == [true, true, true, false, false, true])
        }
        for value in ["yes", "1", "TRUE", ""] {
            let error = #expect(throws: OptionFileError.self) { try self.layers([], ["BOAT_ANCHORED": value]) }
            #expect(error?.description == "the variable BOAT_ANCHORED is true or false, not '\(value)'")
        }
    }

    /// Goal: a misspelt name is an error.
    @Test func aVariableThatNamesNoOptionIsTold() throws {
        let environment = ["BOAT_PRT": "a", "BOAT_ANCHORED": "true", "BOAT_PORT": "b", "BOAT_NAME": "c", "HOME": "d"]
        #expect(try self.layers(["--port", "e"], environment).unknownVariables == ["BOAT_PRT"])
    }

    /// Goal: each source has priority over the next ones, and replaces a list instead of adding to it.
    @Test func theCommandLineIsAboveTheEnvironmentAboveFiles() throws {
        try self.withFiles([
            "all.toml": "port = \"all\"\nmate = [\"a\", \"b\"]\nlog-level = \"all\"",
            "own.toml": "log-level = \"own\"\nmate = [\"c\"]",
        ]) { place in
            let files = ["--config", "\(place)/all.toml", "--config=-\(place)/own.toml"]
            let boat = try self.layered(files)
            #expect(boat.port == "all" && boat.mate == ["c"] && boat.logLevel == "own")
            let afloat = try self.layered(files + ["--mate", "d"], ["BOAT_LOG_LEVEL": "air", "BOAT_PORT": "sea"])
            #expect(afloat.port == "sea" && afloat.mate == ["d"] && afloat.logLevel == "air")
            let said = try self.layered(files + ["--port=quay"], ["BOAT_PORT": "sea"])
            #expect(said.port == "quay")
        }
    }

    @Test func aFileThatMayBeMissingMayBeMissing() throws {
        #expect(try self.layered(["--config=-/nowhere/boat.toml"]).port == nil)
        let error = #expect(throws: OptionFileError.self) { try self.layered(["--config", "/nowhere/boat.toml"]) }
        #expect(error?.description == "/nowhere/boat.toml cannot be read: check the path and its owner")
    }

    @Test func aFileThatIsNoTextIsRefused() throws {
        let long = String(repeating: "#", count: OptionFile.byteCountMax + 1)
        try self.withFiles(["long.toml": long]) { place in
            #expect(throws: OptionFileError.self) { try self.layered(["--config", "\(place)/long.toml"]) }
        }
    }
}

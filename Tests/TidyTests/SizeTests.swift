internal import Foundation
internal import Testing

/// Goal: files and functions are short enough to read.
@Suite struct SizeTests {
    private static let fileLinesMax = 600
    private static let functionLinesMax = 70
    /// The functions that may be longer, by file and name, each with its reason.
    private static let longer: [String: String] = [
        "DeviceLog+Note.swift words": "a table: each note in words",
        "GatewayBenchmark.swift run": "a procedure: each figure in the order in which it is measured",
        "APNSClientBenchmark.swift run": "a procedure: each figure in the order in which it is measured",
        "RelayBenchmark.swift run": "a procedure: each figure in the order in which it is measured",
    ]

    private static func files() throws -> [SourceTree.File] {
        try SourceTree.files(in: ["Sources", "Tools", "Tests", "Examples", "Benchmarks"], ending: ".swift")
    }

    @Test func filesStaySmall() throws {
        for file in try Self.files() {
            #expect(
                file.lines.count <= Self.fileLinesMax,
                "\(file.path) has \(file.lines.count) lines; is there a second thing inside?"
            )
        }
    }

    @Test func functionsStayShort() throws {
        var long: Set<String> = []
        for file in try Self.files() {
            for function in file.functions where function.lineCount > Self.functionLinesMax {
                let name = "\(file.name) \(function.name)"
                long.insert(name)
                #expect(
                    Self.longer[name] != nil,
                    "\(file.path):\(function.number) \(function.name) has \(function.lineCount) lines; which story is a function of its own?"
                )
            }
        }
        let unneeded = Set(Self.longer.keys).subtracting(long)
        #expect(unneeded.isEmpty, "these are short enough now; take them out: \(unneeded.sorted())")
    }

    @Test func targetsAndTypesStayWithinTheirBudget() throws {
        let process = Process()
        process.executableURL = SourceTree.root.appending(path: "dev/size")
        process.arguments = ["--check"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let complaints = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(complaints)")
    }

    @Test func aFunctionEndsAtTheBraceBelowItsFirstWord() {
        let text = """
            protocol Walk {
                func step() throws
                init(
                    at place: Int
                )
            }
            struct Stroll {
                @Test(arguments: [1, 2]) private static func step<Leg>(
                    with leg: Leg
                ) async throws
                where Leg: Walk
                {
                    func inner() {
                        let functions = 1

                    }
                }
                init() { self.pace = 1 }
                // func nothing() {
                deinit {
                    self.rest()
                }
            }
            """
        let functions = SourceTree.File(path: "Walk.swift", text: text).functions
        #expect(functions.map(\.name) == ["step", "inner", "init", "deinit"])
        #expect(functions.map(\.number) == [8, 13, 18, 20])
        #expect(functions.map(\.lineCount) == [10, 4, 1, 3])
    }
}

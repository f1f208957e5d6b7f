internal import Foundation
internal import Rig
internal import SystemSimulator
internal import Testing

/// Tests the program `simulate`, as people and CI run it.
@Suite(.timeLimit(.minutes(1))) final class SimulateCommandTests {
    private let place: String

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "simulate-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.place, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.place) }

    private func run(_ arguments: String...) throws -> (status: Int32, lines: [Substring], errors: String) {
        let log = self.place + "/errors.log"
        try? FileManager.default.removeItem(atPath: log)
        let ended = try Child("simulate", Binaries().path("simulate"), arguments, log: log).waitForEnd(within: 50)
        let lines = ended.output.split(separator: "\n")
        return (ended.status, lines, try String(contentsOfFile: log, encoding: .utf8))
    }

    private func write(_ bytes: Data) throws -> String {
        let path = self.place + "/scenario.json"
        try bytes.write(to: URL(filePath: path))
        return path
    }

    private static func isTotal(_ line: Substring?, seeds: Int) -> Bool {
        let form =
            /simulated ([0-9]+) seeds, [0-9]+\.[0-9] virtual hours, [0-9]+ requests, [0-9]+ answered, trace [0-9a-f]{16}/
        return line?.wholeMatch(of: form).map { $0.output.1 == "\(seeds)" } ?? false
    }

    /// Goal: a run does not depend on anything that differs between two processes, such as the order of a `Set` or a
    /// clock.
    @Test func twoProcessesRunTheSame() throws {
        let first = try self.run("--first", "40", "--seeds", "3")
        let second = try self.run("--first", "40", "--seeds", "3")
        #expect(first.status == 0 && second.status == 0)
        #expect(first.lines.count == 1 && Self.isTotal(first.lines.last, seeds: 3))
        #expect(first.lines == second.lines)
        let other = try self.run("--first", "41", "--seeds", "3")
        #expect(other.lines.last?.suffix(16) != first.lines.last?.suffix(16))
    }

    @Test func aKeptScenarioIsReplayed() throws {
        let scenario = try #require(try KeptScenario.all().first)
        let (status, lines, errors) = try self.run("--replay", scenario.path)
        #expect(status == 0 && lines.count == 1 && Self.isTotal(lines.last, seeds: 1), "\(errors)")
        let traced = try self.run("--replay", scenario.path, "--trace")
        #expect(traced.lines.count > 2 && traced.lines.last == lines.last)
    }

    @Test func aRuleThatIsBrokenIsAFailure() throws {
        let path = try self.write(JSONEncoder().encode(Scenario.withoutServer))
        let (status, lines, _) = try self.run("--replay", path)
        #expect(status == 1 && Self.isTotal(lines.last, seeds: 1))
        #expect(lines.dropLast().last?.contains(" VIOLATION: after all faults ended, device ") == true)
    }

    @Test(arguments: [
        ["--hours", "0"], ["--hours", "-1"], ["--hours", "10000"], ["--hours", "nan"], ["--seeds", "0"],
        ["--seeds", "-1"], ["--first", "x"], ["--nonsense"],
    ])
    func wrongArgumentsAreNamed(_ arguments: [String]) throws {
        let log = self.place + "/errors.log"
        let ended = try Child("simulate", Binaries().path("simulate"), arguments, log: log).waitForEnd(within: 50)
        #expect(ended.status == 64 && ended.output.isEmpty)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains(arguments[0]))
    }

    @Test func whatIsNoScenarioIsNamed() throws {
        for bytes in [Data(), Data("{}".utf8), Data(#"{"seed": 1, "acts": [{"at": 1}]}"#.utf8)] {
            let path = try self.write(bytes)
            let (status, lines, errors) = try self.run("--replay", path)
            #expect(status == 64 && lines.isEmpty && errors.contains("--replay \(path) is not a scenario"), "\(errors)")
        }
        let missing = self.place + "/missing.json"
        let (status, lines, errors) = try self.run("--replay", missing)
        #expect(status == 64 && lines.isEmpty && errors.contains("--replay \(missing)"), "\(errors)")
    }
}

internal import Foundation
internal import Rig
internal import Testing

/// Command lines that locationd refuses, and its words for people.
@Suite(.timeLimit(.minutes(1))) struct CommandLineTests {
    private let scratch: Scratch

    init() throws { self.scratch = try Scratch() }

    /// Starts locationd, in vain; what it said on standard error.
    private func refused(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let log = self.scratch.path + "/locationd.log"
        let ended = try Child("locationd", Binaries().path("locationd"), arguments, log: log).waitForEnd(within: 30)
        return (ended.status, try String(contentsOfFile: log, encoding: .utf8))
    }

    @Test(arguments: ["--state", "--runtime"]) func anEmptyDirectoryIsNone(_ option: String) throws {
        let other = option == "--state" ? "--runtime" : "--state"
        let (status, errors) = try self.refused([option, "", other, self.scratch.path + "/other"])
        #expect(status == 64)
        #expect(errors.contains("\(option) names no directory; leave it out for the default"), "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: self.scratch.path + "/other"))
    }

    @Test func aPolicyThatIsWrongIsNamed() throws {
        let path = self.scratch.path + "/policy.json"
        try Data(#"{"reducedRadius": 5}"#.utf8).write(to: URL(fileURLWithPath: path))
        let (status, errors) = try self.refused(
            ["--state", self.scratch.path + "/state", "--runtime", self.scratch.path + "/run", "--policy", path]
        )
        #expect(status == 1)
        #expect(errors.contains("\(path): reducedRadius must be 3600 to 1000000 metres, not 5"), "\(errors)")
    }
}

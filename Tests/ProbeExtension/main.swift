// The tests' location push service extension, which does what the payload says, good or bad.
import Foundation

// For the benchmark: how long a process takes to get here.
if CommandLine.arguments.contains("--greet") {
    FileHandle.standardOutput.write(Data("begun\n".utf8))
    exit(0)
}
if FileManager.default.fileExists(atPath: "measure") { ProbeService.note("begun \(ProbeService.now)") }
ProbeService.run { ProbeService() }

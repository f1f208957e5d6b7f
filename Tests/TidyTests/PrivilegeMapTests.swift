internal import Foundation
internal import Testing

/// Goal: SECURITY.md lists the privileges of each program that the packages install or start.
@Suite struct PrivilegeMapTests {
    /// The processes, which are the first column of the table under "Privileges".
    private static func processes() throws -> [String] {
        let page = try SourceTree.file("SECURITY.md").text
        let section = try #require(page.components(separatedBy: "\n## Privileges\n").dropFirst().first)
        let lines = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
        return lines.filter { $0.hasPrefix("| ") }.compactMap { $0.split(separator: "|").first.map(String.init) }
    }

    @Test func everyInstalledProgramIsNamed() throws {
        let processes = try Self.processes()
        let manifest = try SourceTree.file("Package.swift").text
        let programs = manifest.matches(of: /\n        program\("([\w-]+)"\)/).map { String($0.output.1) }
        #expect(programs.count >= 5)
        for program in programs {
            #expect(processes.contains { $0.contains("`\(program)") }, "SECURITY.md has no privileges of \(program)")
        }
    }

    @Test func everyServiceIsNamedAndSoIsWhatItStarts() throws {
        let processes = try Self.processes()
        let units = try SourceTree.files(in: ["packaging"], ending: ".service")
        #expect(units.count >= 4)
        for unit in units {
            for start in unit.text.matches(of: /\nExecStart=([^ \n]+)(?: (serve))?/) {
                let program = start.output.1.split(separator: "/").last ?? ""
                let name = "`\(program)\(start.output.2.map { " \($0)" } ?? "")`"
                #expect(processes.contains { $0.contains(name) }, "SECURITY.md misses \(name) of \(unit.path)")
            }
        }
    }
}

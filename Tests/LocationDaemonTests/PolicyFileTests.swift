internal import Foundation
internal import Testing
internal import WhereaboutsLocationEngine

@testable internal import WhereaboutsLocationDaemon

/// A device's own numbers (docs/policy.md).
@Suite struct PolicyFileTests {
    private let scratch: Scratch

    init() throws { self.scratch = try Scratch() }

    private func read(_ text: String) throws -> Policy {
        let path = self.scratch.path + "/policy.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return try PolicyFile.read(path)
    }

    private func complaint(_ text: String) -> String {
        let error = #expect(throws: DaemonError.self) { try self.read(text) }
        return error?.description ?? ""
    }

    /// ADR 0009 promises every number.
    @Test func everyNumberOfThePolicyHasAKey() {
        let stored = Mirror(reflecting: Policy()).children.compactMap(\.label)
        #expect(stored.count > 30)
        #expect(PolicyKey.all.map(\.name) == stored)
    }

    @Test func thePageTellsEachKeyWithItsDefaultAndItsRule() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/policy.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        for key in PolicyKey.all {
            let row = "| `\(key.name)` | `\(key.value(Policy()))` | \(key.rule) | "
            #expect(lines.contains { $0.hasPrefix(row) && $0.count > row.count + 10 }, "docs/policy.md lacks \(row)")
        }
        let rows = lines.count { $0.hasPrefix("| `") }
        #expect(rows == PolicyKey.all.count)
    }

    /// Each key changes what it names, and only that.
    @Test(arguments: PolicyKey.all.map(\.name)) func aKeyChangesItsOwnNumber(_ name: String) throws {
        let key = try #require(PolicyKey.all.first { $0.name == name })
        let other: String
        switch key.value(Policy()) {
        // The greatest that is allowed has no greater one.
        case .number(let number):
            other = (try? self.read("{\"\(name)\": \(number + 1)}")) == nil ? "\(number - 1)" : "\(number + 1)"
        case .flag(let flag): other = "\(!flag)"
        case .object(let entries):
            // Some have a greatest number a step away, others zero.
            other = PolicyKey.Value.object(entries.mapValues { $0 > 10 ? $0 - 1 : $0 + 1 }).description
        }
        let policy = try self.read("{\"\(name)\": \(other)}")
        let before = Mirror(reflecting: Policy()).children.map { "\($0.value)" }
        let after = Mirror(reflecting: policy).children.map { "\($0.value)" }
        let changed = zip(PolicyKey.all, zip(before, after)).filter { $1.0 != $1.1 }.map(\.0.name)
        #expect(changed == [name])
    }

    @Test func unitsAreSecondsAndMetres() throws {
        let policy = try self.read(
            #"{"inUseGrace": 0.29, "unknownAccuracy": 12.5, "stillness": {"radius": 7.5, "period": 60}}"#
        )
        #expect(policy.inUseGrace == .milliseconds(290) && policy.unknownAccuracy == 12_500)
        #expect(policy.stillness == StationaryPause.Rule(radius: 7500, period: .seconds(60)))
    }

    @Test(arguments: [
        (#"{"inUseGrace": 0}"#, "inUseGrace must be 0.001 to 31536000 seconds, not 0"),
        (#"{"inUseGrace": true}"#, "seconds, not true"),
        (#"{"pushBudgetCapacity": 2.5}"#, "pushBudgetCapacity must be a whole number, 1 to 1000000, not 2.5"),
        (#"{"reducedRadius": 100}"#, "reducedRadius must be 3600 to 1000000 metres, not 100"),
        (#"{"closingKeepsClaims": 1}"#, "closingKeepsClaims must be true or false, not 1"),
        (#"{"stillness": {"radius": 10}}"#, #"not {"radius": 10}"#),
        (#"{"stillness": {"radius": 0, "period": 5}}"#, "stillness must be radius, 1 to 1000000 metres, and period"),
        (#"{"stillness": {"radius": 5, "period": 5, "x": 1}}"#, "stillness must be"),
        (#"{"inUsGrace": 3}"#, "inUsGrace is unknown; there are: accuracyPatience, acquisitionPatience"),
        (#"{"extensionWarning": 30}"#, "extensionWarning must be shorter than extensionAllowance"),
        (#"{"inUseGrace": 3, "inUseGrace": 4}"#, "inUseGrace stands there twice"),
        ("[]", "is no JSON object"), (#"{"inUseGrace": "5"}"#, "is no JSON object"),
    ])
    func whatIsWrongIsNamed(_ text: String, _ complaint: String) {
        #expect(self.complaint(text).contains(complaint))
        #expect(self.complaint(text).contains("policy.json"))
    }

    @Test func aFileThatIsMissingIsNamed() {
        let error = #expect(throws: DaemonError.self) { try PolicyFile.read(self.scratch.path + "/absent.json") }
        #expect(error?.description.contains("absent.json does not exist") == true)
    }
}

internal import Glibc
internal import Rig
internal import Testing

/// Compares costs that do not depend on the machine's speed or load with the limits in `Benchmarks/limits.tsv`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CostTests {
    /// Only root may trace locationd, which forbids this to its own user.
    private static let names = geteuid() == 0 ? ["cost-answer", "cost-fix", "cost-push"] : ["cost-fix"]

    @Test(arguments: Self.names)
    func costsStayWithinTheirLimits(_ name: String) async throws {
        try await withInstallation { installation in
            let log = "\(installation.workspace.logs)/benchmarks.log"
            let child = try Child("benchmarks", installation.binaries.path("benchmarks"), [name], log: log)
            let ended = try child.waitForEnd(within: 240)
            #expect(ended.status == 0, "\(ended.output)")
        }
    }
}

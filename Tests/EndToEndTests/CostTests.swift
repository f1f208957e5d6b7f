internal import Rig
internal import Testing

/// Costs that do not depend on how fast or busy the machine is are held to the limits in `Benchmarks/limits.tsv`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CostTests {
    @Test(arguments: ["cost-fix"]) func costsStayWithinTheirLimits(_ name: String) async throws {
        try await withInstallation { installation in
            let log = "\(installation.workspace.logs)/benchmarks.log"
            let child = try Child("benchmarks", installation.binaries.path("benchmarks"), [name], log: log)
            let ended = try child.waitForEnd(within: 240)
            #expect(ended.status == 0, "\(ended.output)")
        }
    }
}

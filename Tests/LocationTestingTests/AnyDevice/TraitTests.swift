internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Reports of `.anyDevice` and `check` to the author of a test.
@Suite struct TraitTests {
    /// Goal: the failures of one argument are not those of another.
    @Test(arguments: [Argument.one, .two], [1, 2]) private func eachArgumentHasItsFailures(
        _ argument: Argument,
        _ number: Int
    ) throws {
        let test = try #require(Test.current)
        let file = try #require(KeptStories(of: test, Test.Case.current).file)
        #expect(KeptStories(of: test, Test.Case.current).file == file)
        #expect(Self.files.withLock { $0.insert(file).inserted })
        #expect(file.lastPathComponent.hasPrefix("LocationTestingTests.TraitTests.eachArgumentHasItsFailures."))
    }

    private enum Argument { case one, two }
    private static let files = Mutex<Set<URL>>([])
}

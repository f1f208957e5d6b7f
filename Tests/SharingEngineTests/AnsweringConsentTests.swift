internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for a person's consent, which may come late.
extension AnsweringTests {
    /// Goal: a late "yes" does not answer another request to which its requester gave the same ID.
    @Test func aYesIsForOneRequest() throws {
        let records = ModelRecords()
        var (machine, _) = try Self.began("7", records)
        var generator = MiddleGenerator()
        _ = machine.handle(try Self.input(["fix"]), records, now: .at(1), using: &generator)
        let other = try digest(of: makeRequest(7, issued: after(1), asksPerson: true).value)
        let toOther = machine.handle(.consented(other, isAllowed: true), records, now: .at(2), using: &generator)
        #expect(toOther.isEmpty)
        let effects = machine.handle(try Self.input(["yes", "7"]), records, now: .at(2), using: &generator)
        #expect(effects.map(Self.text) == ["seal(7 fix)"])
    }
}

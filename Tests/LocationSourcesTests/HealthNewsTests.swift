internal import Testing
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// Goal: a change is reported at once, and repeated messages are reported once a second.
@Suite struct HealthNewsTests {
    private func at(_ milliseconds: Int) -> EngineInstant { EngineInstant(sinceStart: .milliseconds(milliseconds)) }

    @Test func theFirstStateIsNews() {
        var news = HealthNews<String>()
        let isDue = news.isDue("searching", now: self.at(0))
        #expect(isDue)
    }

    @Test func theSameIsToldOnceASecond() {
        var news = HealthNews<String>()
        let due = stride(from: 0, through: 2500, by: 100).filter { news.isDue("searching", now: self.at($0)) }
        #expect(due == [0, 1000, 2000])
        var exact = HealthNews<String>()
        let moments = [0, 999, 1000, 1999, 2000].filter { exact.isDue("delivering", now: self.at($0)) }
        #expect(moments == [0, 1000, 2000])
    }

    @Test func aChangeIsToldAtOnceAndBeginsTheSecond() {
        var news = HealthNews<String>()
        let story = [(0, "searching"), (500, "delivering"), (1100, "delivering"), (1500, "delivering"), (1501, "off")]
        let told = story.filter { news.isDue($0.1, now: self.at($0.0)) }.map(\.0)
        #expect(told == [0, 500, 1500, 1501])
    }
}

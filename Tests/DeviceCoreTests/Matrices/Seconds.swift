internal import WhereaboutsVocabulary

/// A number of seconds after the start.
func second(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

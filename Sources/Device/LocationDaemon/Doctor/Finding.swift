/// Something that the doctor looked at.
struct Finding: Sendable, Hashable {
    enum Severity: Sendable, Hashable {
        /// Correct.
        case fine
        /// Works, but could be better or safer.
        case note
        /// Does not work, or not for long.
        case trouble
    }

    let severity: Severity
    /// The part of the device, in one or two words.
    let subject: String
    let words: String
    /// The thing to do; nil: nothing.
    let remedy: String?

    static func fine(_ subject: String, _ words: String) -> Finding {
        Finding(severity: .fine, subject: subject, words: words, remedy: nil)
    }

    static func note(_ subject: String, _ words: String, remedy: String) -> Finding {
        Finding(severity: .note, subject: subject, words: words, remedy: remedy)
    }

    static func trouble(_ subject: String, _ words: String, remedy: String) -> Finding {
        Finding(severity: .trouble, subject: subject, words: words, remedy: remedy)
    }
}

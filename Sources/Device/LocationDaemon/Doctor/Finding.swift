/// A finding of the doctor about one part of the device.
struct Finding: Sendable, Hashable {
    enum Severity: Sendable, Hashable {
        /// Correct.
        case fine
        /// The part works, but could be better or safer.
        case note
        /// The part does not work, or will soon stop working.
        case trouble
    }

    let severity: Severity
    /// The part of the device, in one or two words.
    let subject: String
    let words: String
    /// The thing to do; nil: nothing needs to be done.
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

/// A volunteer's message that answers an alert.
package struct ResponderReply: Sendable, Hashable {
    package let alert: AlertID
    /// The volunteer's key.
    package let person: PublicIdentity
    /// The phone counts its answers to one alert from 1, so an answer that comes again is refused.
    package let number: UInt32
    package let answer: Responder.Answer

    package init(alert: AlertID, person: PublicIdentity, number: UInt32, answer: Responder.Answer) {
        self.alert = alert
        self.person = person
        self.number = number
        self.answer = answer
    }
}

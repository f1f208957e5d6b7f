/// The content of a push to a volunteer's phone.
package enum ResponderNotice: Sendable, Hashable {
    /// Somebody needs help: the sealed position, and the opening of its incident, both signed by the dispatcher.
    case alert(Signed<SealedAlert>, of: Signed<IncidentOpening>)
    /// The alert ended, and its person need not come.
    case ended(AlertID, Responder.End)
}

public import WhereaboutsLocationEngine
public import WhereaboutsVocabulary

/// A message of a client to the device; each shell decodes its wire format into this type, in one place.
public enum ClientMessage: Sendable, Hashable {
    /// Everything the client holds; the first message of every connection, which shows that the process runs.
    case declaration(Declaration)
    /// The conditions of one of the client's monitors change.
    case monitorChange(MonitorChange)
    /// A manager asks for authorization.
    case authorizationRequest(Authorization.Request)
    /// A manager requests full accuracy until the app is no longer in use.
    case fullAccuracyRequest(purpose: String, request: UInt64)
    /// The app asks for its location push token.
    case pushTokenRequest(request: UInt64)
    /// The app stops monitoring location pushes.
    case stopMonitoringPushes
    /// An extension called a push's completion.
    case pushCompleted(PushID)
    /// The process reports how it is shown.
    case phaseReport(Lifecycle.Phase)
    /// A geocoder asks; nil: the question cannot have an answer.
    case geocodeRequest(GeocodeQuestion?, request: UInt64)
}

public import WhereaboutsLocationEngine
public import WhereaboutsVocabulary

/// A message of a client to the device; each shell's wire is read into this in one place.
public enum ClientMessage: Sendable, Hashable {
    /// Everything the client holds; the first message of every connection, which shows that the process runs.
    case declaration(Declaration)
    /// Conditions of one of its monitors change.
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
    /// The process says how it is shown.
    case phaseReport(Lifecycle.Phase)
    /// A geocoder asks; nil: nothing can be the answer.
    case geocodeRequest(GeocodeQuestion?, request: UInt64)
}

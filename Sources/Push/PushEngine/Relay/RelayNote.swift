public import WhereaboutsAPNS

/// A decision of the relay, for metrics and the operator's log.
public enum RelayNote: Sendable, Hashable {
    /// A push was not sent.
    case refused(RelayRefusal)
    /// A push that was sent ended.
    case ended(RelayEnd)
    /// Apple does not accept the vendor's key, or not for this app, so none of its pushes is delivered.
    case vendorRefused(Reason)
    /// A sender must wait from now on.
    case senderWaits
}

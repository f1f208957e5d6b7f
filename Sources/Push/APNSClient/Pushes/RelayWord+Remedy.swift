internal import WhereaboutsAPNS

extension RelayWord {
    /// The next step; if nil, the reason's remedy applies.
    var remedy: Remedy? {
        switch self {
        case .apple: nil
        case .unanswered: .decide
        case .unsent: .sendAgain(after: .seconds(60))
        case .unknown: .changeConfiguration
        case .vendor: .sendAgain(after: .seconds(15 * 60))
        case .notSealed, .named: .changePush
        case .dayIsFull, .mistakes: .sendAgain(after: .seconds(60 * 60))
        case .tooManyAtOnce: .sendAgain(after: .seconds(1))
        case .notRelayed, .noSender: .changeConfiguration
        }
    }

    /// The value as text, with the remedy; nil if the reason's text suffices.
    var advice: String? {
        switch self {
        case .apple: nil
        case .unanswered:
            "the relay sent it to Apple, but Apple did not answer in time; it may have been accepted, so the relay does not send it again"
        case .unsent: "the relay could not reach Apple, so nothing was sent; send it again"
        case .vendor:
            "Apple does not accept the relay's key for this app; the relay's log says why, and its operator must fix it"
        case .notSealed:
            #"the relay accepts only sealed payloads, exactly {"aps":{},"whereabouts":{"sealed":"…"}}; nothing was sent"#
        case .named: "the relay accepts no collapse ID, because it could read it; leave it out"
        case .dayIsFull:
            "this key has used up its pushes of today at the relay; send more after midnight UTC, or ask the relay's operator for more"
        case .tooManyAtOnce:
            "too many pushes of this key are waiting for an answer at the relay; send it again when some have been answered"
        case .mistakes:
            "Apple did not know half of the device tokens that this key sent last, so the relay sends nothing for it for an hour; "
                + "check that the tokens are for the relay's apps and environment (App Store and TestFlight, or Xcode)"
        case .notRelayed:
            "this device token is not the relay's own, and to Apple it sends only location pushes of its vendor's apps; check the app "
                + "and the push type, or ask the relay's operator to add the app to --relay"
        case .noSender:
            "this device token is not the relay's own, and the relay sends nothing to Apple for this key; ask its operator to add the "
                + "key with `whereabouts gateway keys --add … --relay COUNT`"
        case .unknown: "the relay did not send it, for a reason that this version does not know; update this program"
        }
    }
}

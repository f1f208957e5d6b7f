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
            "the relay sent it to Apple and had no answer in time: it may have been taken; the relay sends it no second time"
        case .unsent: "the relay could not reach Apple: nothing was taken; send it again"
        case .vendor:
            "Apple does not take the relay's key for this app; its operator reads why in the log and has to fix it"
        case .notSealed:
            #"the relay takes sealed payloads alone, {"aps":{},"whereabouts":{"sealed":"…"}} byte for byte; nothing was sent"#
        case .named: "the relay takes no collapse id, which it would see; leave it out"
        case .dayIsFull:
            "this key's pushes of the day are used up at the relay; more go out from midnight UTC on, or when its operator "
                + "grants more"
        case .tooManyAtOnce:
            "too many pushes of this key are under way at the relay; send it again when some are answered"
        case .mistakes:
            "half of this key's last pushes had device tokens that Apple does not know, so that the relay sends none of its "
                + "for an hour; are they of the relay's environment, App Store and TestFlight or Xcode, and of its apps?"
        case .notRelayed:
            "the relay did not issue this device token, and sends location pushes of its vendor's apps alone; check the app and "
                + "the type, or ask its operator to add the app to --relay"
        case .noSender:
            "the relay did not issue this device token, and sends nothing to Apple for this key; ask its operator to add the key "
                + "with `whereabouts gateway keys --add … --relay COUNT`"
        case .unknown: "the relay did not send it, for a reason that is newer than this program"
        }
    }
}

/// An error as the answer to a call.
package struct Refusal: Error, Sendable, Hashable {
    package var name: String
    package var message: String

    /// A person or a rule denied access.
    package static func accessDenied(_ message: String) -> Refusal {
        Refusal(name: "org.freedesktop.DBus.Error.AccessDenied", message: message)
    }

    /// A limit is reached.
    package static func limitsExceeded(_ message: String) -> Refusal {
        Refusal(name: "org.freedesktop.DBus.Error.LimitsExceeded", message: message)
    }

    /// The arguments of the call are invalid.
    package static func invalidArguments(_ message: String) -> Refusal {
        Refusal(name: "org.freedesktop.DBus.Error.InvalidArgs", message: message)
    }

    /// The method does not exist.
    package static let unknownMethod = Refusal(
        name: "org.freedesktop.DBus.Error.UnknownMethod",
        message: "GeoClue has no such method"
    )

    /// The object does not exist.
    package static let unknownObject = Refusal(
        name: "org.freedesktop.DBus.Error.UnknownObject",
        message: "there is no such object, or it belongs to another program"
    )

    /// The property does not exist.
    package static let unknownProperty = Refusal(
        name: "org.freedesktop.DBus.Error.UnknownProperty",
        message: "GeoClue has no such property"
    )

    /// The property is read-only.
    package static let readOnly = Refusal(
        name: "org.freedesktop.DBus.Error.PropertyReadOnly",
        message: "this property is read-only"
    )

    /// No position is available at present, for this reason.
    package static func unavailable(_ message: String) -> Refusal {
        Refusal(name: "org.freedesktop.GeoClue2.Error.Unavailable", message: message)
    }

    /// The person was asked, and has not answered yet.
    package static let notAnswered = Refusal(
        name: "org.freedesktop.GeoClue2.Error.NotAnswered",
        message:
            "nobody has answered yet whether this app may know where the device is; the question stays for five minutes while your program "
            + "runs: call Start again"
    )
}

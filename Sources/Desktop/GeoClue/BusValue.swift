/// A property's value, in one of the types that GeoClue uses.
package enum BusValue: Sendable, Hashable {
    /// `b`
    case flag(Bool)
    /// `u`
    case number(UInt32)
    /// `s`
    case text(String)
    /// `o`
    case path(String)
    /// `d`
    case double(Double)
    /// `(tt)`
    case time(seconds: UInt64, microseconds: UInt64)

    package var signature: String {
        switch self {
        case .flag: "b"
        case .number: "u"
        case .text: "s"
        case .path: "o"
        case .double: "d"
        case .time: "(tt)"
        }
    }
}

/// Something a monitor can watch.
public protocol CLCondition: Decodable, Encodable, Sendable {}

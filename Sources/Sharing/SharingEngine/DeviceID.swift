public import WhereaboutsVocabulary

/// The random ID of one device of a sharer on the server.
public typealias DeviceID = Identifier128<RegisteredDevice>

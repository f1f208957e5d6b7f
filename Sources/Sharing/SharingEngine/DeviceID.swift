public import WhereaboutsVocabulary

/// The random name of one device of a sharer, by which the server tells it from their others.
public typealias DeviceID = Identifier128<RegisteredDevice>

/// The gateway's ID of a push, the same at each attempt to deliver it.
///
/// Not the provider's `apns-id`: a provider that repeats one must not make the device take a new push for an old one.
public typealias PushID = Identifier128<PushTag>

/// Distinguishes IDs of pushes from other IDs.
public enum PushTag {}

/// The gateway's name of a push, the same at each attempt to deliver it.
///
/// Not the provider's `apns-id`: a provider that repeats one must not make the device take a new push for an old one.
public typealias PushID = Identifier128<PushTag>

/// Tells names of pushes from other names.
public enum PushTag {}

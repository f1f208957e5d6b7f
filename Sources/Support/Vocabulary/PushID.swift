/// The gateway's ID of a push, the same for each attempt to deliver the push.
///
/// It is not the provider's `apns-id`: if a provider repeats an ID, the device must not mistake a new push for an old one.
public typealias PushID = Identifier128<PushTag>

/// Distinguishes IDs of pushes from other IDs.
public enum PushTag {}

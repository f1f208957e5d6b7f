import Foundation
public import WhereaboutsSharing

extension Notice {
    /// A line for the person whose device answered.
    ///
    /// - Parameter profile: theirs, which knows the names of their friends.
    /// - Returns: the line; with a friend's number where they have no name.
    public func words(in profile: SharingProfile) -> String {
        func name(_ friend: PublicIdentity) -> String {
            profile.name(of: friend) ?? "the friend with the number \(friend.safetyNumber)"
        }
        switch self {
        case .answer(let request):
            let friend = name(request.requester)
            switch request.content {
            case .fix: return "\(friend) was told where you are"
            case .refusal(let reason): return "\(friend) was refused: \(reason)"
            case .unavailable: return "\(friend) asked, and your device had no position"
            }
        case .sum(let since, let answers):
            let begin = Date(timeIntervalSince1970: since.timeIntervalSince1970).formatted(.iso8601)
            return answers.map { count in
                "since \(begin), \(name(count.requester)) was told \(count.positions) times where you are, "
                    + "and \(count.others) times nothing"
            }
            .joined(separator: "\n")
        }
    }
}

import Foundation
public import WhereaboutsSharing

extension Notice {
    /// A line for the person whose device answered.
    ///
    /// - Parameter profile: theirs, which knows the names of their friends.
    /// - Returns: the line; with a friend's number where they have no name.
    public func words(in profile: SharingProfile) -> String {
        func name(_ friend: PublicIdentity) -> String {
            guard let title = profile.title(of: friend) else {
                return "the friend with the number \(friend.safetyNumber)"
            }
            return profile.isLink(friend) ? "your \(title)" : title
        }
        switch self {
        case .answer(let request):
            let friend = name(request.requester)
            switch request.content {
            case .fix where profile.isLink(request.requester):
                return
                    "\(friend) was used at \(Self.clock(request.time))\(Self.usesLeft(of: request.grant, in: profile))"
            case .fix: return "\(friend) was told where you are"
            case .refusal(let rule): return "\(friend) was refused: \(rule.reason)"
            case .unavailable: return "\(friend) asked, and your device had no position"
            }
        case .sum(let since, let answers):
            let begin = Self.local(since)
            return answers.map { count in
                "since \(begin), \(name(count.requester)) was told \(count.positions) times where you are, "
                    + "and \(count.others) times nothing"
            }
            .joined(separator: "\n")
        }
    }

    /// The time on the clock of this device, such as `14:02`.
    private static func clock(_ time: WallTime) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false)
        return String(style.format(Date(timeIntervalSince1970: time.timeIntervalSince1970)).prefix(5))
    }

    /// The date and the time on the clock of this device, with the name of its zone, such as `2026-11-26 14:02 CET`.
    static func local(_ time: WallTime) -> String {
        let date = Date(timeIntervalSince1970: time.timeIntervalSince1970)
        let day = date.formatted(Date.ISO8601FormatStyle(timeZone: .current).year().month().day())
        return "\(day) \(Self.clock(time)) \(TimeZone.current.abbreviation(for: date) ?? TimeZone.current.identifier)"
    }

    private static func usesLeft(of id: GrantID, in profile: SharingProfile) -> String {
        guard let grant = try? profile.grant(id).value, let uses = grant.usesMax,
            let left = try? profile.usesLeft(of: grant)
        else { return "" }
        return "; \(left) of \(uses) uses left"
    }
}

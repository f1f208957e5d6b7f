import Foundation
public import Sharing

extension Notice {
    /// A line for the person whose device answered.
    public var words: String {
        switch self {
        case .answer(let request):
            switch request.content {
            case .fix: "the friend with the number \(request.requester.safetyNumber) was told where you are"
            case .refusal(let reason):
                "the friend with the number \(request.requester.safetyNumber) was refused: \(reason)"
            case .unavailable:
                "the friend with the number \(request.requester.safetyNumber) asked, and your device had no position"
            }
        case .sum(let since, let answers):
            answers.map { count in
                "since \(since.words), the friend with the number \(count.requester.safetyNumber) was told "
                    + "\(count.positions) times where you are, and \(count.others) times nothing"
            }
            .joined(separator: "\n")
        }
    }
}

extension WallTime {
    fileprivate var words: String { Date(timeIntervalSince1970: self.timeIntervalSince1970).formatted(.iso8601) }
}

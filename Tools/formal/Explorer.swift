/// A small world whose every reachable state can be visited.
protocol ExploredWorld: Hashable, Sendable {
    /// The possible moves: each with its description and the world after the move.
    var moves: [Move<Self>] { get }
}

/// One step of a world.
struct Move<World: ExploredWorld>: Sendable {
    let words: String
    let world: World
}

/// Visits each reachable state of a world once, breadth first, so that the first trace found is a shortest one.
enum Explorer {
    /// The maximum number of states of a world.
    ///
    /// Source: our choice; the largest world of ``QueryList`` has a fifth of it.
    static let statesMax = 500_000

    enum Outcome: Sendable, Hashable {
        /// These moves lead to a sought state.
        case found([String], states: Int)
        /// All states were visited, and none is a sought state.
        case absent(states: Int)
        /// The world has more states than ``statesMax``: the result is unknown.
        case tooLarge
    }

    static func search<World: ExploredWorld>(from start: World, for isSought: (World) -> Bool) -> Outcome {
        var seen: Set<World> = [start]
        // Each state with the move that led to it, and the state before.
        var visited: [(world: World, words: String, before: Int)] = [(start, "", -1)]
        var next = 0
        while next < visited.count {
            let world = visited[next].world
            if isSought(world) { return .found(Self.trace(to: next, visited), states: visited.count) }
            for move in world.moves where seen.insert(move.world).inserted {
                guard visited.count < Self.statesMax else { return .tooLarge }
                visited.append((move.world, move.words, next))
            }
            next += 1
        }
        return .absent(states: visited.count)
    }

    private static func trace<World>(to last: Int, _ visited: [(world: World, words: String, before: Int)]) -> [String]
    {
        var (trace, index): ([String], Int) = ([], last)
        while index > 0 {
            trace.append(visited[index].words)
            index = visited[index].before
        }
        return trace.reversed()
    }
}

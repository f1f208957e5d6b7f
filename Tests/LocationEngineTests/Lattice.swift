/// Random paths on a grid whose steps are far larger than every error, and their simple model.
enum Lattice {
    /// The seconds whose fix is accepted: the device is already there, or was elsewhere for 15 s.
    static func believed(_ way: [Int]) -> [Int] {
        var found: [Int] = []
        var (place, isConfirmed) = (way[0], false)
        var elsewhere: (place: Int, count: Int)?
        var since: Int?
        for second in way.indices.dropFirst() {
            if way[second] == place {
                (elsewhere, since, isConfirmed) = (nil, nil, true)
                found.append(second)
                continue
            }
            let agrees = elsewhere?.place == way[second]
            let lasts = second - (since ?? second) >= 15 && (agrees || (elsewhere?.count ?? 1) == 1)
            if lasts || agrees && !isConfirmed {
                (place, elsewhere, since, isConfirmed) = (way[second], nil, nil, agrees)
                found.append(second)
            } else {
                elsewhere = (way[second], agrees ? (elsewhere?.count ?? 0) + 1 : 1)
                since = since ?? second
            }
        }
        return found
    }
}

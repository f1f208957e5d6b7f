internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Reads as statements: one for each kind, whatever their number.
extension PostgreSQLPushTransaction {
    private static let token = "device, token, topic, used_at, issued_at, is_pushed, unregistered_at"

    func prefetch(_ reads: @autoclosure () -> [PushStoreRead]) throws {
        let reads = reads()
        if !reads.isEmpty { try self.load(reads) }
    }

    /// Reads, after the changes so far.
    func load(_ reads: [PushStoreRead]) throws {
        var (tokens, devices, waiting): (Set<DeviceToken>, Set<DeviceKey>, Set<DeviceKey>) = ([], [], [])
        var days: Set<PushRows.Day> = []
        for read in reads {
            switch read {
            case .token(let token): tokens.insert(token)
            case .tokens(let device): devices.insert(device)
            case .pushes(let device): waiting.insert(device)
            case .sender(let sender, let day): days.insert(PushRows.Day(sender: sender, day: day))
            }
        }
        func keys(_ devices: Set<DeviceKey>) -> PostgreSQLValue { .array(.bytes, devices.map { .bytes($0.bytes) }) }
        let names: [PostgreSQLValue] = [
            .array(.text, days.map { .text($0.sender.teamID) }), .array(.text, days.map { .text($0.sender.keyID) }),
        ]
        // A kind without keys has no statement.
        let statements = [
            tokens.isEmpty ? nil : (Self.tokenRows, [.array(.bytes, tokens.map { .bytes($0.bytes) })]),
            devices.isEmpty ? nil : (Self.registered, [keys(devices)]),
            waiting.isEmpty ? nil : (Self.waiting, [keys(waiting)]),
            days.isEmpty ? nil : (Self.account, names + [.array(.integer, days.map { .integer($0.day.number) })]),
            days.isEmpty ? nil : (Self.wait, names),
            (Self.count, [PostgreSQLValue]()),
        ]
        var results = try self.exchange(statements.compactMap { $0.map { PostgreSQLStatement($0.0, $0.1) } })[...]
        let found = statements.map { $0 == nil ? [] : results.removeFirst() }
        try self.learn(tokens, found[0])
        try self.learn(devices, found[1])
        try self.learn(pushesOf: waiting, found[2])
        try self.learn(days, found[3], waits: found[4])
        self.rows.count = try found[5].first.map { Int(try $0.integer(0)) }
    }

    private static let tokenRows = """
        SELECT \(token), id, expires FROM token LEFT JOIN push USING (device, topic) WHERE token = ANY($1::bytea[])
        """
    private static let registered = """
        SELECT \(token) FROM token WHERE device = ANY($1::bytea[]) AND unregistered_at IS NULL ORDER BY token
        """
    private static let waiting = """
        SELECT device, id, topic, payload, priority, expires, collapse_id FROM push WHERE device = ANY($1::bytea[])
        ORDER BY arrival
        """
    private static let account = """
        SELECT team, key, day, entry, count FROM sender_count
        JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS wanted (team, key, day) USING (team, key, day)
        """
    private static let wait = """
        SELECT DISTINCT team, key, until FROM sender_wait
        JOIN unnest($1::text[], $2::text[]) AS wanted (team, key) USING (team, key)
        """
    private static let count =
        "SELECT pg_stat_get_live_tuples('token'::regclass) + pg_stat_get_live_tuples('push'::regclass)"

    // MARK: Rows that were read

    private func learn(_ tokens: Set<DeviceToken>, _ found: [PostgreSQLRow]) throws {
        for token in tokens { self.rows.learn(token, nil) }
        for row in found {
            let token = try Self.token(row)
            self.rows.learn(token.record.token, token)
            let push = try row.optionalBytes(7).map { bytes in
                guard let id = PushID(bytes: bytes) else { throw PostgreSQLError.wrongType }
                return ReplacedPush(id: id, expiration: .until(try row.integer(8)))
            }
            self.rows.learn(push, in: PushRows.Place(device: token.record.device, topic: token.record.topic))
        }
    }

    private func learn(_ devices: Set<DeviceKey>, _ found: [PostgreSQLRow]) throws {
        let tokens = Dictionary(grouping: try found.map(Self.token), by: \.record.device)
        for device in devices { self.rows.learnRegistered(tokens[device] ?? [], of: device) }
    }

    private func learn(pushesOf devices: Set<DeviceKey>, _ found: [PostgreSQLRow]) throws {
        let pushes = Dictionary(grouping: found) { try? $0.bytes(0) }
        for device in devices { self.rows.learn(try (pushes[device.bytes] ?? []).map(Self.push), of: device) }
    }

    private func learn(_ days: Set<PushRows.Day>, _ found: [PostgreSQLRow], waits: [PostgreSQLRow]) throws {
        for day in days {
            self.rows.learn(SenderAccount(), of: day)
            self.rows.learn(waitEnd: nil, of: day.sender)
        }
        for day in try Self.days(found) {
            self.rows.learn(day.account, of: PushRows.Day(sender: day.sender, day: day.day))
        }
        for row in waits {
            self.rows.learn(waitEnd: WallTime(milliseconds: try row.integer(2)), of: try Self.sender(row))
        }
    }

    private static func token(_ row: PostgreSQLRow) throws -> PushRows.Token {
        guard let token = DeviceToken(bytes: try row.bytes(1)) else { throw PostgreSQLError.wrongType }
        let record = TokenRecord(
            token: token,
            device: DeviceKey(bytes: try row.bytes(0)),
            topic: try row.text(2),
            usedAt: WallTime(milliseconds: try row.integer(3)),
            isPushed: try row.integer(5) == 1,
            unregisteredAt: try row.optionalInteger(6).map { WallTime(milliseconds: $0) }
        )
        return PushRows.Token(record: record, issued: WallTime(milliseconds: try row.integer(4)))
    }

    private static func push(_ row: PostgreSQLRow) throws -> StoredPush {
        guard let id = PushID(bytes: try row.bytes(1)),
            let priority = Priority(rawValue: Int(try row.integer(4)))
        else { throw PostgreSQLError.wrongType }
        return StoredPush(
            id: id,
            topic: try row.text(2),
            payload: try row.bytes(3),
            priority: priority,
            expiration: .until(try row.integer(5)),
            collapseID: try row.optionalText(6)
        )
    }

    private static func sender(_ row: PostgreSQLRow) throws -> Sender.Name {
        Sender.Name(teamID: try row.text(0), keyID: try row.text(1))
    }

    /// Adds up rows of counts; those of a sender's day follow each other.
    private static func days(_ rows: [PostgreSQLRow]) throws -> [SenderDay] {
        var accounts: [PushRows.Day: SenderAccount] = [:]
        var order: [PushRows.Day] = []
        for row in rows {
            guard let entry = SenderAccount.Entry(rawValue: try row.text(3)) else { throw PostgreSQLError.wrongType }
            let day = PushRows.Day(sender: try Self.sender(row), day: AccountDay(number: try row.integer(2)))
            if accounts[day] == nil { order.append(day) }
            accounts[day, default: SenderAccount()].add(Int(try row.integer(4)), to: entry)
        }
        return order.compactMap { day in accounts[day].map { SenderDay(day.sender, day.day, $0) } }
    }

    // MARK: Queries of the operator, and the removal of old rows

    func devices(after key: DeviceKey?, limit: Int) throws -> [DeviceKey] {
        let statement = PostgreSQLStatement(
            """
            SELECT DISTINCT device FROM token WHERE unregistered_at IS NULL AND device > $1 ORDER BY device LIMIT $2
            """,
            [.bytes(key?.bytes ?? []), .integer(Int64(limit))]
        )
        return try self.exchange([statement])[0].map { DeviceKey(bytes: try $0.bytes(0)) }
    }

    func accounts(of sender: Sender.Name?, since day: AccountDay) throws -> [SenderDay] {
        let statement = PostgreSQLStatement(
            """
            SELECT team, key, day, entry, count FROM sender_count
            WHERE day >= $1 AND ($2::text IS NULL OR (team = $2 AND key = $3)) ORDER BY day DESC, team, key
            """,
            [
                .integer(day.number), sender.map { .text($0.teamID) } ?? .null, sender.map { .text($0.keyID) } ?? .null,
            ]
        )
        return try Self.days(self.exchange([statement])[0])
    }

    func removeUnused(before time: WallTime) throws {
        try self.remove("token WHERE used_at < $1", [.integer(time.milliseconds)])
    }

    @discardableResult
    func removeExpired(now: WallTime) throws -> Int {
        let times: [PostgreSQLValue] = [.integer(PushRows.hour(now.seconds)), .integer(now.seconds)]
        return try self.remove("push WHERE hour <= $1 AND expires <= $2", times)
    }

    func removeAccounts(before day: AccountDay) throws {
        try self.remove("sender_count WHERE day < $1", [.integer(day.number)])
    }

    func removeWaits(endedBefore time: WallTime) throws {
        try self.remove("sender_wait WHERE until < $1", [.integer(time.milliseconds)])
    }

    @discardableResult
    private func remove(_ rows: String, _ values: [PostgreSQLValue]) throws -> Int {
        let sql = "WITH gone AS (DELETE FROM \(rows) RETURNING 1) SELECT count(*) FROM gone"
        let statement = PostgreSQLStatement(sql, values)
        return Int(try self.exchange([statement], changes: true)[0][0].integer(0))
    }
}

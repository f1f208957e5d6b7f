internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The changes as statements: one for each kind, whatever their number.
extension PushRows {
    var statements: [PostgreSQLStatement] {
        self.tokenStatements + self.pushStatements + self.senderStatements
    }

    /// The columns of rows as arrays, each of one type.
    private static func columns<Row>(
        _ rows: [Row],
        _ columns: [(PostgreSQLElement, (Row) -> PostgreSQLValue)]
    ) -> [PostgreSQLValue] {
        columns.map { element, value in .array(element, rows.map(value)) }
    }

    /// Tokens that ended come first: a new one of the same topic may follow.
    private var tokenStatements: [PostgreSQLStatement] {
        let all = self.changedTokens.keys.compactMap { self.tokens[$0] ?? nil }
        let (new, changed) = (all.filter(\.isNew), all.filter { !$0.isNew })
        var statements: [PostgreSQLStatement] = []
        func time(_ time: WallTime?) -> PostgreSQLValue { time.map { .integer($0.milliseconds) } ?? .null }
        let key: [(PostgreSQLElement, (Token) -> PostgreSQLValue)] = [
            (.bytes, { .bytes($0.record.device.bytes) }), (.bytes, { .bytes($0.record.token.bytes) }),
            (.integer, { time($0.record.usedAt) }), (.integer, { .integer($0.record.isPushed ? 1 : 0) }),
            (.integer, { time($0.record.unregisteredAt) }),
        ]
        if !changed.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    UPDATE token SET used_at = new.used_at, is_pushed = new.is_pushed, unregistered_at = new.unregistered_at
                    FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[])
                        AS new (device, token, used_at, is_pushed, unregistered_at)
                    WHERE token.device = new.device AND token.token = new.token
                    """,
                    Self.columns(changed, key)
                )
            )
        }
        if !new.isEmpty {
            let rest: [(PostgreSQLElement, (Token) -> PostgreSQLValue)] = [
                (.text, { .text($0.record.topic) }), (.integer, { time($0.issued) }),
            ]
            statements.append(
                PostgreSQLStatement(
                    """
                    INSERT INTO token (device, token, used_at, is_pushed, unregistered_at, topic, issued_at)
                    SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
                        $7::bigint[])
                    """,
                    Self.columns(new, key + rest)
                )
            )
        }
        if !self.ended.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    DELETE FROM token USING (
                        SELECT device, token, row_number() OVER (
                            PARTITION BY device ORDER BY unregistered_at DESC, token DESC
                        ) AS place FROM token WHERE device = ANY($1::bytea[]) AND unregistered_at IS NOT NULL
                    ) AS ended WHERE token.device = ended.device AND token.token = ended.token AND ended.place > $2
                    """,
                    [
                        .array(.bytes, self.ended.keys.map { .bytes($0.bytes) }),
                        .integer(Int64(TokenDecision.topicsMax)),
                    ]
                )
            )
        }
        return statements
    }

    /// Removals come first, because a push may be stored in place of a removed one.
    private var pushStatements: [PostgreSQLStatement] {
        typealias Put = (place: Place, push: StoredPush, arrival: Int64)
        let puts = self.changes.compactMap { place, change -> Put? in
            guard case .put(let push, let arrival) = change else { return nil }
            return (place, push, arrival)
        }
        let removals = self.changes.compactMap { if case .remove = $1 { $0 } else { nil } }
        var statements: [PostgreSQLStatement] = []
        if !self.removed.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    DELETE FROM push USING unnest($1::bytea[], $2::bytea[]) AS gone (device, id)
                    WHERE push.device = gone.device AND push.id = gone.id
                    """,
                    Self.columns(
                        Array(self.removed.keys),
                        [(.bytes, { .bytes($0.device.bytes) }), (.bytes, { .bytes($0.id.bytes) })]
                    )
                )
            )
        }
        if !removals.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    DELETE FROM push USING unnest($1::bytea[], $2::text[]) AS gone (device, topic)
                    WHERE push.device = gone.device AND push.topic = gone.topic
                    """,
                    Self.columns(
                        removals,
                        [(.bytes, { .bytes($0.device.bytes) }), (.text, { .text($0.topic) })]
                    )
                )
            )
        }
        if !puts.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    INSERT INTO push (device, topic, arrival, id, payload, priority, expires, hour, collapse_id)
                    SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[],
                        $7::bigint[], $8::bigint[], $9::text[])
                    ON CONFLICT (device, topic) DO UPDATE SET arrival = excluded.arrival, id = excluded.id,
                        payload = excluded.payload, priority = excluded.priority, expires = excluded.expires,
                        hour = excluded.hour, collapse_id = excluded.collapse_id
                    """,
                    Self.columns(
                        puts,
                        [
                            (.bytes, { .bytes($0.place.device.bytes) }), (.text, { .text($0.place.topic) }),
                            (.integer, { .integer($0.arrival) }), (.bytes, { .bytes($0.push.id.bytes) }),
                            (.bytes, { .bytes($0.push.payload) }),
                            (.integer, { .integer(Int64($0.push.priority.rawValue)) }),
                            (.integer, { .integer(Self.expires($0.push)) }),
                            (.integer, { .integer(Self.hour(Self.expires($0.push))) }),
                            (.text, { $0.push.collapseID.map { .text($0) } ?? .null }),
                        ]
                    )
                )
            )
        }
        return statements
    }

    private static func expires(_ push: StoredPush) -> Int64 {
        if case .until(let seconds) = push.expiration { seconds } else { 0 }
    }

    /// The hour of a time in seconds.
    static func hour(_ seconds: Int64) -> Int64 { seconds / 3600 }

    private var senderStatements: [PostgreSQLStatement] {
        var statements: [PostgreSQLStatement] = []
        if !self.counts.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    INSERT INTO sender_count (team, key, day, entry, count)
                    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
                    ON CONFLICT (team, key, day, entry) DO UPDATE SET count = sender_count.count + excluded.count
                    """,
                    Self.columns(
                        Array(self.counts),
                        [
                            (.text, { .text($0.key.day.sender.teamID) }), (.text, { .text($0.key.day.sender.keyID) }),
                            (.integer, { .integer($0.key.day.day.number) }),
                            (.text, { .text($0.key.entry.rawValue) }), (.integer, { .integer(Int64($0.value)) }),
                        ]
                    )
                )
            )
        }
        if !self.changedWaits.isEmpty {
            statements.append(
                PostgreSQLStatement(
                    """
                    INSERT INTO sender_wait (team, key, until)
                    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
                    ON CONFLICT (team, key) DO UPDATE SET until = excluded.until
                    """,
                    Self.columns(
                        Array(self.changedWaits),
                        [
                            (.text, { .text($0.key.teamID) }), (.text, { .text($0.key.keyID) }),
                            (.integer, { .integer($0.value.milliseconds) }),
                        ]
                    )
                )
            )
        }
        return statements
    }
}

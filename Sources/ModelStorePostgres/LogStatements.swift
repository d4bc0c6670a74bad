#if Postgres
/// The statements on the tables of a log.
enum LogStatements {
    /// Makes the tables. `modelstore_head` has a row for each log, and `modelstore_log` one for each entry.
    static let setup = [
        // Two nodes that make the tables at once would fail without the lock.
        "begin", "select pg_advisory_xact_lock(7302471002)",
        """
        create table if not exists modelstore_head (
            name text primary key, generation bigint not null, index bigint not null, hash bytea not null,
            floor_index bigint not null, floor_hash bytea not null)
        """,
        """
        create table if not exists modelstore_log (
            name text not null, index bigint not null, hash bytea not null, body bytea not null,
            primary key (name, index))
        """,
        "commit",
    ]

    /// Begins a log. 1: name.
    static let begin = """
        insert into modelstore_head
        select $1, 1, 0, decode(repeat('00', 16), 'hex'), 0, decode(repeat('00', 16), 'hex')
        on conflict do nothing
        """

    /// Says which standbys a commit waits for.
    static let standbys = "select convert_to(current_setting('synchronous_standby_names'), 'UTF8')"

    /// 1: name.
    static let head = "select generation, index, hash from modelstore_head where name = $1"

    /// Moves the head and inserts the entry, if the head is still the entry before.
    ///
    /// - 1: name
    /// - 2 and 3: index and hash of the entry
    /// - 4, 5 and 6: generation, index and hash of the entry before
    /// - 7: body
    /// - 8: channel
    static let append = """
        with moved as (
            update modelstore_head set index = $2, hash = $3
            where name = $1 and generation = $4 and index = $5 and hash = $6 returning name),
        added as (
            insert into modelstore_log (name, index, hash, body) select $1, $2, $3, $7 from moved returning index)
        select count(*), count(pg_notify($8, '')) from added
        """

    /// Returns the head, the floor, the hash of the entry at a position, and the entries after it. These are the first one, and more
    /// up to a number of bytes.
    ///
    /// - 1: name
    /// - 2: index
    /// - 3: number of bytes
    static let entries = """
        select head.generation, head.index, head.hash, head.floor_index, head.floor_hash,
            (select hash from modelstore_log where name = $1 and index = $2), entry.body
        from modelstore_head head left join lateral (
            select index, body from (
                select index, body, sum(length(body)) over (order by index) - length(body) as before
                from (select index, body from modelstore_log where name = $1 and index > $2 order by index limit 512) page
            ) counted where before < $3
        ) entry on true
        where head.name = $1 order by entry.index
        """

    /// Removes the entries up to a position. 1: name; 2 and 3: its index and hash; 4: generation.
    static let trim = """
        with moved as (
            update modelstore_head set floor_index = $2, floor_hash = $3
            where name = $1 and generation = $4 and floor_index < $2
                and exists (select from modelstore_log where name = $1 and index = $2 and hash = $3) returning name)
        delete from modelstore_log where name in (select name from moved) and index <= $2
        """
}
#endif

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
        """
        create table if not exists modelstore_register (
            name text not null, key text collate "C" not null, value bytea not null, version bigint not null,
            ends timestamptz, primary key (name, key))
        """,
        "create sequence if not exists modelstore_register_version", "commit",
    ]

    /// Begins a log. 1: name.
    static let begin = """
        insert into modelstore_head
        select $1, 1, 0, decode(repeat('00', 16), 'hex'), 0, decode(repeat('00', 16), 'hex')
        on conflict do nothing
        """

    /// Says which standbys a commit waits for.
    static let standbys = "select convert_to(current_setting('synchronous_standby_names'), 'UTF8')"

    /// Whether the user may see how far the standbys are.
    static let seesStandbys = "select pg_has_role(current_user, 'pg_read_all_stats', 'usage')::int::bigint"

    /// The end of the server's journal on its disk, as text.
    static let journalEnd = "select convert_to(pg_current_wal_flush_lsn()::text, 'UTF8')"

    /// The number of synchronous standbys that have the journal on disk up to a place. 1: the place, as text.
    static let standbysThere = """
        select count(*) from pg_stat_replication
        where sync_state in ('sync', 'quorum') and flush_lsn >= $1::text::pg_lsn
        """

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

    /// Returns the head, the floor, the hash of the entry at a position, and the entries after it. These are the first one, and
    /// more up to a number of bytes.
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

    /// The number of bytes of the entries of all logs, with their index.
    static let usage = "select pg_total_relation_size('modelstore_log')"

    /// Begins a new generation, if the head is still the same.
    ///
    /// - 1: name
    /// - 2, 3 and 4: generation, index and hash of the head
    /// - 5, 6 and 7: those from which the new generation goes on
    static let beginGeneration = """
        with moved as (
            update modelstore_head
            set generation = $5, index = $6, hash = $7, floor_index = $6, floor_hash = $7
            where name = $1 and generation = $2 and index = $3 and hash = $4 returning name),
        removed as (delete from modelstore_log where name in (select name from moved))
        select count(*) from moved
        """

    /// Returns the registers that have not ended. 1: name; 2: the beginning of the keys.
    static let registers = """
        select convert_to(key, 'UTF8'), value, version from modelstore_register
        where name = $1 and starts_with(key, $2) and (ends is null or ends > clock_timestamp()) order by key
        """

    /// Makes a register, or replaces one that has ended. 1: name; 2: key; 3: value; 4: lifetime in microseconds, 0 for no end.
    static let makeRegister = """
        insert into modelstore_register as old
        values ($1, $2, $3, nextval('modelstore_register_version'),
            case when $4 > 0 then clock_timestamp() + $4 * interval '1 microsecond' end)
        on conflict (name, key) do update set value = excluded.value, version = excluded.version, ends = excluded.ends
            where old.ends <= clock_timestamp()
        returning version
        """

    /// Replaces a register. 1 to 4: as above; 5: its version.
    static let replaceRegister = """
        update modelstore_register set value = $3, version = nextval('modelstore_register_version'),
            ends = case when $4 > 0 then clock_timestamp() + $4 * interval '1 microsecond' end
        where name = $1 and key = $2 and version = $5 and (ends is null or ends > clock_timestamp())
        returning version
        """

    /// Removes a register. 1: name; 2: key; 3: its version.
    static let removeRegister = """
        delete from modelstore_register
        where name = $1 and key = $2 and version = $3 and (ends is null or ends > clock_timestamp())
        returning version
        """
}
#endif

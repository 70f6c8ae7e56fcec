/**
 * The tables, the function that decides commits (see the later versions for what became of it), and trimming the log.
 * Never changed.
 */
export const tables = `
create table $schema.realm (
  id integer generated always as identity primary key,
  name text collate "C" not null unique,
  rev bigint not null default 0,
  floor bigint not null default 0
) with (fillfactor = 50);

-- Marks are rewritten all the time: room on the page, and no index on modified, keep that cheap.
create table $schema.entry (
  realm integer not null references $schema.realm (id) on delete cascade,
  key text collate "C" not null,
  value text not null,
  created bigint not null,
  modified bigint not null,
  primary key (realm, key)
) with (fillfactor = 80);

create table $schema.log (
  realm integer not null references $schema.realm (id) on delete cascade,
  rev bigint not null,
  id text collate "C" not null,
  keys text[] collate "C" not null,
  at timestamptz not null default now(),
  primary key (realm, rev)
);
create unique index log_id on $schema.log (realm, id);

create table $schema.refusal (
  realm integer not null references $schema.realm (id) on delete cascade,
  id text collate "C" not null,
  rev bigint not null,
  stale text[] not null,
  at timestamptz not null default now(),
  primary key (realm, id)
);

-- Judges a run of commits that neither write nor expect what an earlier one of the run wrote (touched marks apart).
-- The realm's row is locked by a statement of its own: under READ COMMITTED each later statement then takes its
-- snapshot after the lock was won, so that all commits of a realm happen one after another, in revision order.
create function $schema.commit_run(
  p_realm integer, ids text[], again boolean[],
  e_commit integer[], e_key text[], e_rev bigint[],
  w_commit integer[], w_key text[], w_value text[],
  d_commit integer[], d_key text[]
) returns table (ok boolean, rev bigint, stale text[])
language plpgsql volatile as $body$
#variable_conflict use_column
declare
  head bigint;
  start bigint;
  revs bigint[] := array_fill(null::bigint, array[cardinality(ids)]);
  known jsonb;
  bad jsonb;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'commits need the isolation level read committed' using errcode = '25001';
  end if;
  select r.rev into strict head from $schema.realm r where r.id = p_realm for update;
  start := head;

  select coalesce(jsonb_object_agg(s.at, s.keys), '{}') into bad from (
    select e.at, jsonb_agg(e.key) as keys
    from unnest(e_commit, e_key, e_rev) as e (at, key, rev)
    left join lateral (
      select n.modified from $schema.entry n where n.realm = p_realm and n.key = e.key limit 1
    ) found on true
    where coalesce(found.modified, 0) <> e.rev
    group by e.at
  ) s;

  -- One row at most per id: it is either accepted or refused.
  select coalesce(jsonb_object_agg(k.id, jsonb_build_array(k.rev, k.stale)), '{}') into known from (
    select l.id, l.rev, null::jsonb as stale from $schema.log l where l.realm = p_realm and l.id = any (ids)
    union all
    select f.id, f.rev, to_jsonb(f.stale) from $schema.refusal f where f.realm = p_realm and f.id = any (ids)
  ) k;

  for i in 1 .. cardinality(ids) loop
    if known <> '{}' and known ? ids[i] then
      rev := (known -> ids[i] ->> 0)::bigint;
      ok := known -> ids[i] ->> 1 is null;
      stale := case when ok then null else array(select jsonb_array_elements_text(known -> ids[i] -> 1)) end;
    elsif bad ? i::text then
      ok := false;
      rev := head;
      stale := array(select jsonb_array_elements_text(bad -> i::text));
      if again[i] then
        insert into $schema.refusal (realm, id, rev, stale) values (p_realm, ids[i], head, stale);
      end if;
    else
      head := head + 1;
      revs[i] := head;
      ok := true;
      rev := head;
      stale := null;
    end if;
    return next;
  end loop;

  if head > start then
    insert into $schema.entry as n (realm, key, value, created, modified)
      select p_realm, w.key, w.value, min(revs[w.at]), max(revs[w.at])
      from unnest(w_commit, w_key, w_value) as w (at, key, value)
      where revs[w.at] is not null
      group by w.key, w.value
      on conflict (realm, key) do update set value = excluded.value, modified = excluded.modified;
    if cardinality(d_key) > 0 then
      delete from $schema.entry n using unnest(d_commit, d_key) as d (at, key)
      where n.realm = p_realm and n.key = d.key and revs[d.at] is not null;
    end if;
    insert into $schema.log (realm, rev, id, keys)
      select p_realm, revs[k.at], ids[k.at], array_agg(k.key)
      from (
        select w.at, w.key from unnest(w_commit, w_key) as w (at, key)
        union all
        select d.at, d.key from unnest(d_commit, d_key) as d (at, key)
      ) k
      where revs[k.at] is not null
      group by k.at;
    update $schema.realm r set rev = head where r.id = p_realm;
  end if;
end
$body$;

-- Forgets a bounded number of commits that are both beyond the count kept and older than the age kept.
create function $schema.forget(p_realm integer, keep_rows bigint, keep_for interval, at_most integer) returns bigint
language plpgsql volatile as $body$
declare
  present record;
  target bigint;
begin
  select r.rev, r.floor into strict present from $schema.realm r where r.id = p_realm for update;
  select coalesce(max(l.rev), present.floor) into target from (
    select l.rev, l.at from $schema.log l where l.realm = p_realm and l.rev > present.floor order by l.rev limit at_most
  ) l where l.rev <= present.rev - keep_rows or l.at < now() - keep_for;
  if target > present.floor then
    delete from $schema.log l where l.realm = p_realm and l.rev <= target;
    delete from $schema.refusal f where f.realm = p_realm and f.rev < target and f.at < now() - keep_for;
    update $schema.realm r set floor = target where r.id = p_realm;
  end if;
  return target - present.floor;
end
$body$;
`

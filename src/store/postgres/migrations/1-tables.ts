/**
 * The tables, and the functions that decide commits. Commits plan no statement twice, and a single one, the usual case,
 * needs no temporary sets.
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
  realm integer not null,
  key text collate "C" not null,
  value text not null,
  created bigint not null,
  modified bigint not null,
  primary key (realm, key)
) with (fillfactor = 80);

create table $schema.log (
  realm integer not null,
  rev bigint not null,
  id text collate "C" not null,
  keys text[] collate "C" not null,
  at timestamptz not null default now(),
  primary key (realm, rev)
);
create unique index log_id on $schema.log (realm, id);

create table $schema.refusal (
  realm integer not null,
  id text collate "C" not null,
  rev bigint not null,
  stale text[] not null,
  at timestamptz not null default now(),
  primary key (realm, id)
);

-- Rows below a realm have no foreign keys: its row is locked by each writer, so that checking every one of them would
-- prove nothing. A realm that is deleted by hand takes its rows along.
create function $schema.delete_realm() returns trigger language plpgsql as $body$
begin
  delete from $schema.entry n where n.realm = old.id;
  delete from $schema.log l where l.realm = old.id;
  delete from $schema.refusal f where f.realm = old.id;
  return null;
end
$body$;
create trigger delete_realm after delete on $schema.realm for each row execute function $schema.delete_realm();

-- The realm's row is taken by a statement of its own: under READ COMMITTED each later statement then takes its
-- snapshot after the lock was won, so that all commits of a realm happen one after another, in revision order. It is
-- counted on at once, and back for what was not accepted: the transaction hides the steps between.
--
-- Plans are made once per connection, maybe while the tables are empty, and must be as good for a million rows. Hence
-- no scan of a table, and no join that could begin with one: each key and id is looked up by itself.
--
-- The answer of both functions: {"before": the revision before, "otherwise": {place: verdict}}, places counted from 1.
-- Commits without a verdict were accepted and have the next revisions in their order.

create function $schema.commit_one(
  p_realm integer, p_id text, again boolean,
  e_key text[], e_rev bigint[],
  w_key text[], w_value text[],
  d_key text[]
) returns text
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
declare
  head bigint;
  present bigint;
  past record;
  bad text[] := '{}';
  verdict jsonb;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'commits need the isolation level read committed' using errcode = '25001';
  end if;
  update $schema.realm r set rev = r.rev + 1 where r.id = p_realm returning r.rev into strict head;

  select l.rev into past from $schema.log l where l.realm = p_realm and l.id = p_id;
  if found then
    verdict := jsonb_build_object('ok', true, 'rev', past.rev);
  else
    select f.rev, f.stale into past from $schema.refusal f where f.realm = p_realm and f.id = p_id;
    if found then
      verdict := jsonb_build_object('ok', false, 'rev', past.rev, 'stale', past.stale);
    else
      for i in 1 .. cardinality(e_key) loop
        select n.modified into present from $schema.entry n where n.realm = p_realm and n.key = e_key[i];
        if coalesce(present, 0) <> e_rev[i] then
          bad := bad || e_key[i];
        end if;
      end loop;
      if bad <> '{}' then
        verdict := jsonb_build_object('ok', false, 'rev', head - 1, 'stale', bad);
        if again then
          insert into $schema.refusal (realm, id, rev, stale) values (p_realm, p_id, head - 1, bad);
        end if;
      end if;
    end if;
  end if;
  if verdict is not null then
    update $schema.realm r set rev = head - 1 where r.id = p_realm;
    return jsonb_build_object('before', head - 1, 'otherwise', jsonb_build_object('1', verdict));
  end if;

  for i in 1 .. cardinality(w_key) loop
    insert into $schema.entry as n (realm, key, value, created, modified)
      values (p_realm, w_key[i], w_value[i], head, head)
      on conflict (realm, key) do update set value = excluded.value, modified = excluded.modified;
  end loop;
  for i in 1 .. cardinality(d_key) loop
    delete from $schema.entry n where n.realm = p_realm and n.key = d_key[i];
  end loop;
  insert into $schema.log (realm, rev, id, keys) values (p_realm, head, p_id, w_key || d_key);
  return '{"before":' || head - 1 || '}';
end
$body$;

-- The commits come in runs, each up to the next of the ends: within a run no commit expects what an earlier one of it
-- wrote, or deletes what it put, or puts what it deleted, so that its commits can be judged, and written, together.
create function $schema.commit_runs(
  p_realm integer, ends integer[], ids text[], again boolean[],
  e_commit integer[], e_key text[], e_rev bigint[],
  w_commit integer[], w_key text[], w_value text[],
  d_commit integer[], d_key text[]
) returns text
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
declare
  start bigint;
  head bigint;
  revs bigint[] := array_fill(null::bigint, array[cardinality(ids)]);
  first integer := 1;
  last integer;
  bad jsonb;
  known jsonb;
  verdict jsonb;
  otherwise jsonb := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'commits need the isolation level read committed' using errcode = '25001';
  end if;
  update $schema.realm r set rev = r.rev + cardinality(ids) where r.id = p_realm
    returning r.rev - cardinality(ids) into strict start;
  head := start;

  foreach last in array ends loop
    -- One row at most per id: it is either accepted or refused.
    select jsonb_object_agg(i, k.verdict) into known from generate_series(first, last) as i cross join lateral (
      (select jsonb_build_object('ok', true, 'rev', l.rev) as verdict
        from $schema.log l where l.realm = p_realm and l.id = ids[i] limit 1)
      union all
      (select jsonb_build_object('ok', false, 'rev', f.rev, 'stale', f.stale)
        from $schema.refusal f where f.realm = p_realm and f.id = ids[i] limit 1)
    ) k;
    if cardinality(e_key) > 0 then
      select jsonb_object_agg(s.at, s.keys) into bad from (
        select e.at, jsonb_agg(e.key) as keys
        from unnest(e_commit, e_key, e_rev) as e (at, key, rev)
        left join lateral (
          select n.modified from $schema.entry n where n.realm = p_realm and n.key = e.key limit 1
        ) found on true
        where e.at between first and last and coalesce(found.modified, 0) <> e.rev
        group by e.at
      ) s;
    end if;

    for i in first .. last loop
      if known ? i::text then
        otherwise := otherwise || jsonb_build_object(i, known -> i::text);
      elsif bad ? i::text then
        otherwise := otherwise || jsonb_build_object(i,
          jsonb_build_object('ok', false, 'rev', head, 'stale', bad -> i::text));
        if again[i] then
          insert into $schema.refusal (realm, id, rev, stale)
            values (p_realm, ids[i], head, array(select jsonb_array_elements_text(bad -> i::text)));
        end if;
      else
        head := head + 1;
        revs[i] := head;
      end if;
    end loop;

    insert into $schema.entry as n (realm, key, value, created, modified)
      select p_realm, w.key, (array_agg(w.value order by w.at desc))[1], min(revs[w.at]), max(revs[w.at])
      from unnest(w_commit, w_key, w_value) as w (at, key, value)
      where w.at between first and last and revs[w.at] is not null
      group by w.key
      on conflict (realm, key) do update set value = excluded.value, modified = excluded.modified;
    for i in 1 .. cardinality(d_key) loop
      if d_commit[i] between first and last and revs[d_commit[i]] is not null then
        delete from $schema.entry n where n.realm = p_realm and n.key = d_key[i];
      end if;
    end loop;
    insert into $schema.log (realm, rev, id, keys)
      select p_realm, revs[k.at], ids[k.at], array_agg(k.key)
      from unnest(w_commit || d_commit, w_key || d_key) as k (at, key)
      where k.at between first and last and revs[k.at] is not null
      group by k.at;
    first := last + 1;
  end loop;

  if head < start + cardinality(ids) then
    update $schema.realm r set rev = head where r.id = p_realm;
  end if;
  return jsonb_build_object('before', start, 'otherwise', otherwise);
end
$body$;
`

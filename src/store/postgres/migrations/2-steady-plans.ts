/**
 * Commits no longer plan statements: version 1 planned several of them at every commit, because of their array
 * parameters, and read the realm's row again for every row of the log.
 */
export const steadyPlans = `
-- In the order in which commits take them: whoever commits now ends first, and then waits.
lock table $schema.realm, $schema.entry, $schema.log, $schema.refusal in access exclusive mode;

-- The realm's row is locked by whoever writes below it, so that a check for each of those rows proves nothing. A realm
-- that is deleted by hand takes its rows along as before.
alter table $schema.entry drop constraint entry_realm_fkey;
alter table $schema.log drop constraint log_realm_fkey;
alter table $schema.refusal drop constraint refusal_realm_fkey;
create function $schema.delete_realm() returns trigger language plpgsql as $body$
begin
  delete from $schema.entry n where n.realm = old.id;
  delete from $schema.log l where l.realm = old.id;
  delete from $schema.refusal f where f.realm = old.id;
  return null;
end
$body$;
create trigger delete_realm after delete on $schema.realm for each row execute function $schema.delete_realm();

-- Judges a run of commits that neither write nor expect what an earlier one of the run wrote (touched marks apart).
-- The realm's row is locked by a statement of its own: under READ COMMITTED each later statement then takes its
-- snapshot after the lock was won, so that all commits of a realm happen one after another, in revision order.
--
-- Plans are made once per connection, maybe while the tables are empty, and must be as good for a million rows. Hence
-- no scan of a table, and no join that could begin with one: each key and id is looked up by itself.
create or replace function $schema.commit_run(
  p_realm integer, ids text[], again boolean[],
  e_commit integer[], e_key text[], e_rev bigint[],
  w_commit integer[], w_key text[], w_value text[],
  d_commit integer[], d_key text[]
) returns table (ok boolean, rev bigint, stale text[])
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
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

  if cardinality(e_key) > 0 then
    select jsonb_object_agg(s.at, s.keys) into bad from (
      select e.at, jsonb_agg(e.key) as keys
      from unnest(e_commit, e_key, e_rev) as e (at, key, rev)
      left join lateral (
        select n.modified from $schema.entry n where n.realm = p_realm and n.key = e.key limit 1
      ) found on true
      where coalesce(found.modified, 0) <> e.rev
      group by e.at
    ) s;
  end if;

  -- One row at most per id: it is either accepted or refused.
  select jsonb_object_agg(i.id, jsonb_build_array(k.rev, k.stale)) into known
  from unnest(ids) as i (id) cross join lateral (
    (select l.rev, null::jsonb as stale from $schema.log l where l.realm = p_realm and l.id = i.id limit 1)
    union all
    (select f.rev, to_jsonb(f.stale) from $schema.refusal f where f.realm = p_realm and f.id = i.id limit 1)
  ) k;

  for i in 1 .. cardinality(ids) loop
    if known ? ids[i] then
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
    for i in 1 .. cardinality(d_key) loop
      if revs[d_commit[i]] is not null then
        delete from $schema.entry n where n.realm = p_realm and n.key = d_key[i];
      end if;
    end loop;
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

-- The head, and the newest state of what changed up to it. One statement, hence one snapshot.
create function $schema.changes_since(p_realm integer, p_after bigint, p_limit bigint, prefixes text[])
returns table (head text, floor text, page text, key text, value text, created text, modified text)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
#variable_conflict use_column
begin
  return query
    with r as (select r.rev, r.floor from $schema.realm r where r.id = p_realm),
    l as (
      select l.rev, l.keys, sum(cardinality(l.keys)) over (order by l.rev) - cardinality(l.keys) as before
      from (
        select l.rev, l.keys from $schema.log l where l.realm = p_realm and l.rev > p_after order by l.rev limit p_limit
      ) l
    ),
    page as (select rev, keys from l where before < p_limit),
    k as (
      select distinct key collate "C" as key from page, unnest(keys) as key
      where exists (select from unnest(prefixes) as p (prefix) where starts_with(key, prefix))
    )
    select r.rev::text, r.floor::text, coalesce((select max(rev) from page), r.rev)::text,
      k.key, e.value, e.created::text, e.modified::text
    from r left join k on true
    left join lateral (select * from $schema.entry e where e.realm = p_realm and e.key = k.key limit 1) e on true;
end
$body$;

alter function $schema.forget(integer, bigint, interval, integer) set enable_seqscan = off;
`

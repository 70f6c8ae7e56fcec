/** The functions that read changes from the log, and trim it. */
export const log = `
drop function if exists $schema.changes_since(integer, bigint, bigint, text[]);
drop function if exists $schema.forget(integer, bigint, interval, integer);

-- First a row with the head, the floor and the revision up to which changes follow, then a row for each changed key,
-- without a value if it is gone. One statement of the caller, hence one snapshot. Most calls of a follower find nothing
-- or few commits, so what a call costs matters more than what a row costs.
create function $schema.changes_since(p_realm integer, p_after bigint, p_limit bigint, prefixes text[])
returns table (head bigint, floor bigint, page bigint, key text, value text, created bigint, modified bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
#variable_conflict use_column
declare
  changed text[] collate "C";
  present bigint;
begin
  select r.rev, r.floor, r.rev into head, floor, page from $schema.realm r where r.id = p_realm;
  if p_after >= head then
    return next;
    return;
  end if;
  -- At least one commit, and no further one once the limit of keys is reached.
  select max(l.rev), array_agg(distinct k.key) filter (where k.key ^@ any (prefixes)) into page, changed
  from (
    select l.rev, l.keys, sum(cardinality(l.keys)) over (order by l.rev) - cardinality(l.keys) as before
    from (
      select l.rev, l.keys from $schema.log l where l.realm = p_realm and l.rev > p_after order by l.rev limit p_limit
    ) l
  ) l
  left join lateral unnest(l.keys) as k (key) on true
  where l.before < p_limit;
  return next;
  if changed is null then
    return;
  end if;
  return query
    select null::bigint, null::bigint, null::bigint, e.key, e.value, e.created, e.modified
    from $schema.entry e where e.realm = p_realm and e.key = any (changed);
  get diagnostics present = row_count;
  if present < cardinality(changed) then
    return query
      select null::bigint, null::bigint, null::bigint, k.key, null, null::bigint, null::bigint
      from unnest(changed) as k (key)
      where not exists (select from $schema.entry e where e.realm = p_realm and e.key = k.key);
  end if;
end
$body$;

-- Forgets a bounded number of commits that are beyond the count kept or older than the age kept.
create function $schema.forget(p_realm integer, keep_rows bigint, keep_for interval, at_most integer) returns bigint
language plpgsql volatile
set enable_seqscan = off
as $body$
declare
  present record;
  target bigint;
begin
  -- Mostly the oldest commit is to be kept: then commits do not have to wait for a scan of the log.
  perform from $schema.realm r join $schema.log l on l.realm = r.id and l.rev = r.floor + 1
    where r.id = p_realm and (l.rev <= r.rev - keep_rows or l.at < now() - keep_for);
  if not found then
    return 0;
  end if;
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

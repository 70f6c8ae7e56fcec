import { limits } from '../../port/port.ts'

/** The parameters that both functions have, and what they return. */
const parameters = 'p_realm integer, p_after bigint, p_limit bigint, prefixes text[]'
const rows =
  'table (head bigint, floor bigint, page bigint, key text, value text, created bigint, modified bigint)'

/** Their body; `verdicts` is the answer to a commit, or null. */
const body = (verdicts: string) => `
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $body$
#variable_conflict use_column
declare
  own bigint := (${verdicts}::jsonb ->> 'before')::bigint;
begin
  value := ${verdicts};
  if p_after is null then
    return next;
    return;
  end if;
  select r.rev, r.floor, r.rev into head, floor, page from $schema.realm r where r.id = p_realm;
  if head - p_after > p_limit / ${limits.keysPerCommit} then
    -- At least one commit, and no further one once the limit of keys is reached.
    select max(l.rev) into page from (
      select l.rev, sum(cardinality(l.keys)) over (order by l.rev) - cardinality(l.keys) as before from (
        select l.rev, l.keys from $schema.log l where l.realm = p_realm and l.rev > p_after order by l.rev limit p_limit
      ) l
    ) l where l.before < p_limit;
  end if;
  return next;
  if p_after >= head then
    return;
  end if;
  return query
    select null::bigint, null::bigint, null::bigint,
      k.key, case when e.modified > own then null else e.value end, e.created, e.modified
    from (
      select l.rev, unnest(l.keys) as key from (
        -- In this order, so that the index that has it is used, even by plans that are made while the table is empty.
        select l.rev, l.keys from $schema.log l where l.realm = p_realm and l.rev > p_after and l.rev <= page order by l.rev
      ) l
    ) k
    left join lateral (select * from $schema.entry e where e.realm = p_realm and e.key = k.key limit 1) e on true
    where k.key ^@ any (prefixes) and (e.modified = k.rev or e.modified is null);
end
$body$;
`

/** The functions that read changes from the log: for a follower, and for the answer to a commit. */
export const changesWithCommits = `
drop function if exists $schema.changes_since(integer, bigint, bigint, text[]);
drop function if exists $schema.changes_with_commit(text, integer, bigint, bigint, text[]);

-- First a row with the head, the floor and the revision up to which changes follow, then a row for each change that is the
-- newest of its key; for a deleted key one or more, without a value. One statement of the caller, hence one snapshot.
create function $schema.changes_since(${parameters}) returns ${rows}
language plpgsql stable
${body('null')}

-- The same after a commit, in its transaction: being volatile, the function sees what the commit wrote, and the lock of the
-- realm keeps others from writing meanwhile. The first row has the verdicts as its value; the values that the commit wrote
-- are left out, since its caller has them.
create function $schema.changes_with_commit(verdicts text, ${parameters}) returns ${rows}
language plpgsql volatile
${body('verdicts')}
`

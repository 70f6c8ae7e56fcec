/** The function that trims the log. */
export const log = `
drop function if exists $schema.forget(integer, bigint, interval, integer);

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

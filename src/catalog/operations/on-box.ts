import type { Answer, Env, Outcome, Refused } from '../../kernel/index.ts'
import type { Tx } from '../../store/index.ts'
import type { Role } from '../accounts/role.ts'
import type { Box } from '../boxes/model.ts'
import type { CatalogEvent } from '../events.ts'
import { versions } from '../records.ts'
import { type Core, change, type Decided, snapshot } from '../service/core.ts'
import type { VersionDetail } from '../service/details.ts'
import {
  type AccessRefusal,
  type BoxAddress,
  type Located,
  type LocatedVersion,
  locateBox,
  locateOwnBox,
  lookupIn,
  type SeeRefusal,
  type VersionAddress,
  versionOf,
} from '../service/guard.ts'
import { droppedBlobs } from '../versions/blobs.ts'
import type { Version } from '../versions/model.ts'

/** Decides on a box on which the caller has a role: `publisher` by default. */
export const onBox = <Value, Code extends string = never>(
  core: Core,
  address: BoxAddress,
  decide: (located: Located, tx: Tx, env: Env) => Decided<Value> | Refused<Code>,
  needed: Role = 'publisher',
) =>
  change<Value, Code | AccessRefusal>(core, (tx, env) => {
    const located = locateOwnBox(tx, address, core.caller, needed)
    return located.ok ? decide(located, tx, env) : located
  })

/** Decides on a version that the caller may change. */
export const onVersion = <Value, Code extends string = never>(
  core: Core,
  address: VersionAddress,
  decide: (located: LocatedVersion, tx: Tx, env: Env) => Decided<Value> | Refused<Code>,
) =>
  onBox<Value, Code | 'not_found'>(core, address, (box, tx, env) => {
    const located = versionOf(tx, box, address)
    return located.ok ? decide(located, tx, env) : located
  })

/** Finds a version that the caller may see. */
export async function findVersion(
  core: Core,
  address: VersionAddress,
): Promise<LocatedVersion | Refused<SeeRefusal>> {
  const now = lookupIn(await snapshot(core))
  const located = locateBox(now, address, core.caller)
  return located.ok ? versionOf(now, located, address) : located
}

/** Finds a version that the caller may change. */
export async function findOwnVersion(
  core: Core,
  address: VersionAddress,
): Promise<LocatedVersion | Refused<AccessRefusal>> {
  const now = lookupIn(await snapshot(core))
  const located = locateOwnBox(now, address, core.caller, 'publisher')
  return located.ok ? versionOf(now, located, address) : located
}

/** Runs a command on a version that the caller may change; returns what `show` makes of it. */
export const commandOn = <Value, Code extends string, Shown>(
  core: Core,
  address: VersionAddress,
  command: (version: Version, env: Env, tx: Tx, box: Box) => Outcome<Version, Value, CatalogEvent, Code>,
  show: (detail: VersionDetail, value: Value) => Shown,
): Promise<Answer<Shown, Code | AccessRefusal | 'contended'>> =>
  onVersion<Shown, Code>(core, address, ({ box, version: before }, tx, env) => {
    const outcome = command(before, env, tx, box)
    if (!outcome.ok) return outcome
    const { state: version, value, events } = outcome
    tx.put(versions, version)
    return {
      ok: true,
      value: show({ box, version }, value),
      events,
      box,
      droppedBlobs: droppedBlobs(before, version),
    }
  })

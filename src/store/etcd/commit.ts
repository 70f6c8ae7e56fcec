import { checkCommit } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Commit, Rev, Verdict } from '../port/port.ts'
import { type EtcdClient, pause } from './client.ts'
import { isPassing } from './errors.ts'
import { clearClaim } from './import.ts'
import { bytesOf, largeValues, type Pieces, type Written } from './pieces.ts'
import {
  type Head,
  headIn,
  jsonIn,
  type Keys,
  type Logged,
  pagesOf,
  type Session,
  type Stored,
  storedIn,
  storedText,
} from './realm.ts'
import {
  decode,
  encode,
  nested,
  type Op,
  one,
  put,
  type RangeResult,
  remove,
  removeBelow,
  unchanged,
} from './wire.ts'

/** Of keys and ids, each of which takes at most two operations: see `nested`. */
const namesPerTransaction = 1_000

/** Splits a batch into transactions of at least one commit each. Refuses commits that cannot be stored. */
export function transactionsOf(batch: readonly Commit[]): readonly (readonly Commit[])[] {
  const all: { commits: Commit[]; bytes: number; names: number }[] = []
  for (const commit of batch) {
    const values = checkCommit(commit)
    const names = [commit.id, ...namesIn(commit)]
    const bytes = names.reduce((sum, name) => sum + 3 * name.length, values)
    const last = all.at(-1)
    const fits =
      last && last.bytes + bytes <= bytesOf.transaction && last.names + names.length <= namesPerTransaction
    if (!fits) all.push({ commits: [commit], bytes, names: names.length })
    else {
      last.commits.push(commit)
      last.bytes += bytes
      last.names += names.length
    }
  }
  return all.map(({ commits }) => commits)
}

const namesIn = ({ expect = [], put: puts = [], touch = [], del = [] }: Commit): readonly string[] => [
  ...expect.map(({ key }) => key),
  ...puts.map(({ key }) => key),
  ...touch,
  ...del,
]

/** The state that some commits depend on. */
interface Found {
  readonly head: Head
  readonly claim: string | undefined
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly entries: ReadonlyMap<string, Stored>
}

/**
 * Submits the commits of a transaction until their outcome is known: the head and their ids make it safe to repeat
 * them.
 */
export async function settle(session: Session, commits: readonly Commit[]): Promise<readonly Verdict[]> {
  const { client, keys, timers } = session
  const isOver = client.deadline()
  const ids = [...new Set(commits.map(({ id }) => id))]
  const names = [...new Set(commits.flatMap(namesIn))]
  const ranges = [
    keys.head,
    keys.claim,
    ...ids.map((id) => keys.ids + id),
    ...names.map((name) => keys.entries + name),
  ].map(one)
  const look = async ([head, claim, ...rest]: readonly RangeResult[]): Promise<Found> => ({
    head: headIn(head),
    claim: claim?.kvs?.[0]?.mod_revision,
    verdicts: new Map(
      ids.flatMap((id, at) => (rest[at]?.kvs ?? []).map((kv) => [id, jsonIn<Verdict>(kv)] as const)),
    ),
    entries: new Map(
      rest
        .slice(ids.length)
        .flatMap(({ kvs = [] }) => kvs.map((kv) => storedIn(keys, kv)).map((each) => [each.key, each])),
    ),
  })
  const large = largeValues(session)
  let mayBeDone = false
  try {
    let found = await look(await client.read(ranges))
    while (true) {
      try {
        if (found.claim !== undefined) await clearClaim(session, found.claim)
        const decided = judge(found, commits, mayBeDone)
        if (decided.settled.length === 0) return decided.verdicts
        await large.send([...decided.written.values()])
        const ops = operationsOf(session, found, decided, large.piecesOf)
        const now = await client.write(
          [unchanged(keys.head, found.head.at), unchanged(keys.claim)],
          ops,
          ranges,
        )
        if (now === undefined) return decided.verdicts
        found = await look(now)
      } catch (error) {
        if (!isPassing(error) || isOver()) throw error
        mayBeDone = true
        await pause(timers)
        found = await look(await client.readAlone(ranges, isOver))
      }
    }
  } catch (error) {
    if (!mayBeDone && !isPassing(error)) throw error
    throw new StoreError('unknown', 'etcd did not answer a commit: submit the same ids again', error)
  } finally {
    large.release()
  }
}

/** What a batch does to the state that was found. */
interface Decided {
  readonly verdicts: readonly Verdict[]
  readonly rev: Rev
  readonly written: ReadonlyMap<string, Written>
  /** The commits whose verdict is new and remembered. */
  readonly settled: readonly { readonly commit: Commit; readonly verdict: Verdict }[]
}

/** Decides the commits one by one, each on what the ones before it wrote. */
function judge(found: Found, commits: readonly Commit[], mayBeDone: boolean): Decided {
  const entries = new Map<string, { readonly created: Rev; readonly modified: Rev }>(found.entries)
  const known = new Map(found.verdicts)
  const written = new Map<string, Written>()
  const settled: { commit: Commit; verdict: Verdict }[] = []
  let { rev } = found.head
  const verdicts = commits.map((commit): Verdict => {
    const { id, expect = [], put: puts = [], touch = [], del = [], again = mayBeDone } = commit
    const past = known.get(id)
    if (past !== undefined) return past
    const stale = expect.filter((each) => (entries.get(each.key)?.modified ?? 0) !== each.rev)
    if (stale.length === 0) {
      rev += 1
      const write = (key: string, text: string) => {
        const entry = { key, created: entries.get(key)?.created ?? rev, modified: rev, text }
        entries.set(key, entry)
        written.set(key, { ...entry, isLarge: Buffer.byteLength(text) > bytesOf.inline })
      }
      for (const { key, value } of puts) write(key, JSON.stringify(value))
      for (const key of touch) write(key, 'null')
      for (const key of del) {
        entries.delete(key)
        written.set(key, undefined)
      }
    }
    const verdict: Verdict =
      stale.length === 0 ? { ok: true, rev } : { ok: false, rev, stale: stale.map(({ key }) => key) }
    if (verdict.ok || again) {
      known.set(id, verdict)
      settled.push({ commit, verdict })
    }
    return verdict
  })
  return { verdicts, rev, written, settled }
}

/** The operations that write a decision. */
function operationsOf(
  { keys, keep }: Session,
  found: Found,
  { rev, written, settled }: Decided,
  piecesOf: (entry: NonNullable<Written>) => Pieces,
): Op[] {
  const floor = Math.max(found.head.floor, rev - keep)
  const ops = [put(keys.head, JSON.stringify({ rev, floor }))]
  for (const { commit, verdict } of settled) {
    ops.push(put(keys.ids + commit.id, JSON.stringify(verdict)))
    const row = { id: commit.id, ...(verdict.ok && { keys: namesIn({ ...commit, expect: [] }) }) }
    ops.push(put(keys.logOf(verdict.rev, verdict.ok ? '' : ` ${commit.id}`), JSON.stringify(row)))
  }
  for (const [key, entry] of written) {
    const before = found.entries.get(key)
    if (before !== undefined && before.pieces !== '') ops.push(removeBelow(`${keys.pieces}${before.pieces}/`))
    if (entry === undefined) {
      if (before !== undefined) ops.push(remove(keys.entries + key))
      continue
    }
    const pieces = entry.isLarge ? piecesOf(entry) : undefined
    // What was sent before is kept by taking it from its lease.
    for (const { key: piece, value } of pieces?.parts ?? [])
      ops.push({ request_put: pieces?.isSent ? { key: piece, ignore_value: true } : { key: piece, value } })
    ops.push(put(keys.entries + key, storedText(entry, pieces?.name)))
  }
  return ops
}

/** Deletes forgotten commits and their ids now and then, after the commits that cause it. */
export function forgetting({ client, keys }: Session): (commits: number) => void {
  let since = 0
  return (commits) => {
    since += commits
    if (since < 500) return
    since = 0
    // The next cleanup makes up for a failed one.
    void forget(client, keys).catch(() => undefined)
  }
}

async function forget(client: EtcdClient, keys: Keys): Promise<void> {
  const [found] = await client.read([one(keys.head)])
  const range = { key: encode(keys.log), range_end: encode(keys.logOf(headIn(found).floor + 1)) }
  for await (const { kvs = [] } of pagesOf(client, range))
    await client.call('/v3/kv/txn', {
      success: nested(
        kvs.flatMap((kv) => [remove(decode(kv.key)), remove(keys.ids + jsonIn<Logged>(kv).id)]),
      ),
    })
}

import { checkImported } from '../port/check.ts'
import type { Entry, Rev, Verdict } from '../port/port.ts'
import { parseStored } from '../port/stored-value.ts'
import { arrayOf, arrayOfJson } from './arrays.ts'
import type { Row } from './driver.ts'

/** All statements of the adapter, except those that create the schema. */
export const statements = (schema: string) => {
  const s = `"${schema}"`
  const columns = 'key, value, created::text, modified::text'
  /** A commit, and what {@link changesIn} reads, after a revision that may be null. */
  const withChanges = (commit: string, at: number) =>
    `select c.* from ${s}.${commit} v, lateral ${s}.changes_with_commit(v, $1::int, $${at}::bigint, $${at + 1}::bigint, $${at + 2}::text::text[]) c`
  const within = `realm = $1::int and key >= $2::text and ($3::text is null or key < $3::text)`
  return {
    head: `select rev::text from ${s}.realm where id = $1::int`,
    // Also begins a transaction of reads, whose plans must not scan a table that was small when they were made.
    begin: `select rev::text, set_config('enable_seqscan', 'off', true) from ${s}.realm where id = $1::int`,
    lock: `select rev::text from ${s}.realm where id = $1::int for update`,
    get: `select e.key, e.value, e.created::text, e.modified::text from unnest($2::text::text[]) as k (key)
      cross join lateral (select * from ${s}.entry e where e.realm = $1::int and e.key = k.key limit 1) e`,
    scanUp: `select ${columns} from ${s}.entry where ${within} order by key limit $4::bigint`,
    scanKeys: `select key, 'null' as value, created::text, modified::text from ${s}.entry where ${within} order by key limit $4::bigint`,
    scanDown: `select ${columns} from ${s}.entry where ${within} order by key desc limit $4::bigint`,
    commitOne: withChanges(
      `commit_one($1::int, $2::text, $3::text::boolean, $4::text::text[], $5::text::bigint[],
      $6::text::text[], $7::text::text[], $8::text::text[])`,
      9,
    ),
    commitRuns: withChanges(
      `commit_runs($1::int, $2::text::int[], $3::text::text[], $4::text::boolean[],
      $5::text::int[], $6::text::text[], $7::text::bigint[], $8::text::int[], $9::text::text[], $10::text::text[],
      $11::text::int[], $12::text::text[])`,
      13,
    ),
    changes: `select * from ${s}.changes_since($1::int, $2::bigint, $3::bigint, $4::text::text[])`,
    import: `insert into ${s}.entry (realm, key, value, created, modified)
      select $1::int, * from unnest($2::text::text[], $3::text::text[], $4::text::bigint[], $5::text::bigint[])`,
    imported: `update ${s}.realm set rev = $2::bigint, floor = $2::bigint where id = $1::int`,
    // A notification is a transaction of its own; waiting for the disk would slow down commits.
    notify: `select set_config('synchronous_commit', 'off', true), pg_notify($1::text, $2::text)`,
    // The newest stay however old they seem: after a clock jump, commits that are being resubmitted must still be
    // known.
    forget: `select ${s}.forget($1::int, $2::bigint, $3::interval, least($4::int,
      (select greatest(0, r.rev - r.floor - least($2::bigint, 1000)) from ${s}.realm r where r.id = $1::int))::int)`,
  }
}

export const entryOf = (row: Row): Entry => {
  const key = String(row['key'])
  return {
    key,
    value: parseStored(key, String(row['value'])),
    created: Number(row['created']),
    modified: Number(row['modified']),
  }
}

/** The verdicts over `count` commits: refusals come from the database, and the others get consecutive revisions. */
export function verdictsOf(row: Row | undefined, count: number): Verdict[] {
  // Written by commit_one and commit_runs.
  const { before, otherwise = {} } = JSON.parse(String(row?.['value'])) as {
    readonly before: Rev
    readonly otherwise?: Readonly<Record<string, Verdict>>
  }
  let head = before
  return Array.from({ length: count }, (_, at) => {
    const said = otherwise[at + 1]
    if (said !== undefined) return said
    head += 1
    return { ok: true, rev: head }
  })
}

/**
 * Entries in groups that fit a statement, as its parameters; `failed` is called with an error of the entries' source.
 */
export async function* runsOfEntries(
  entries: AsyncIterable<Entry>,
  head: Rev,
  failed: (error: unknown) => void,
): AsyncIterable<string[]> {
  let run: { readonly entry: Entry; readonly text: string }[] = []
  let size = 0
  const parameters = () => [
    arrayOf(run.map(({ entry }) => entry.key)),
    arrayOfJson(run.map(({ text }) => text)),
    arrayOf(run.map(({ entry }) => entry.created)),
    arrayOf(run.map(({ entry }) => entry.modified)),
  ]
  const checked = async function* () {
    try {
      for await (const entry of entries) {
        checkImported(entry, head)
        yield { entry, text: JSON.stringify(entry.value) }
      }
    } catch (error) {
      failed(error)
      throw error
    }
  }
  for await (const one of checked()) {
    run.push(one)
    size += one.entry.key.length + one.text.length
    if (run.length < 2_000 && size < 4 * 1024 * 1024) continue
    yield parameters()
    run = []
    size = 0
  }
  if (run.length > 0) yield parameters()
}

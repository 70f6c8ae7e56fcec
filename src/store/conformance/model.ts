import { compareKeys } from '../port/keys.ts'
import type { Changes, Commit, Entry, Range, Rev, Verdict } from '../port/port.ts'

/** The port in its simplest form, slow and obvious: the reference for every adapter. */
export interface Model {
  readonly head: Rev
  commit(batch: readonly Commit[]): Verdict[]
  get(key: string): Entry | undefined
  scan(range: Range): Entry[]
  changes(after: Rev, prefixes: readonly string[]): Changes
}

export function model(): Model {
  const entries = new Map<string, Entry>()
  const log: (readonly string[])[] = []
  const verdicts = new Map<string, Verdict>()

  const judge = (commit: Commit): Verdict => {
    const past = verdicts.get(commit.id)
    if (past !== undefined) return past
    const stale = (commit.expect ?? []).filter(({ key, rev }) => (entries.get(key)?.modified ?? 0) !== rev)
    if (stale.length > 0) {
      const no = { ok: false, rev: log.length, stale: stale.map(({ key }) => key) } as const
      if (commit.again === true) verdicts.set(commit.id, no)
      return no
    }
    const rev = log.length + 1
    const writes = [...(commit.put ?? []), ...(commit.touch ?? []).map((key) => ({ key, value: null }))]
    for (const { key, value } of writes)
      entries.set(key, { key, value, created: entries.get(key)?.created ?? rev, modified: rev })
    for (const key of commit.del ?? []) entries.delete(key)
    log.push([...writes.map(({ key }) => key), ...(commit.del ?? [])])
    verdicts.set(commit.id, { ok: true, rev })
    return { ok: true, rev }
  }

  return {
    get head() {
      return log.length
    },
    commit: (batch) => batch.map(judge),
    get: (key) => entries.get(key),
    scan: ({ prefix, from, after, limit, reverse }) => {
      const sign = reverse === true ? -1 : 1
      return [...entries.values()]
        .filter(({ key }) => key.startsWith(prefix))
        .filter(({ key }) => from === undefined || compareKeys(key, from) * sign >= 0)
        .filter(({ key }) => after === undefined || compareKeys(key, after) * sign > 0)
        .sort((a, b) => compareKeys(a.key, b.key) * sign)
        .slice(0, limit)
    },
    changes: (after, prefixes) => {
      const keys = new Set(log.slice(after).flat())
      const touched = [...keys]
        .filter((key) => prefixes.some((prefix) => key.startsWith(prefix)))
        .sort(compareKeys)
      const put = touched.flatMap((key) => entries.get(key) ?? [])
      return { rev: log.length, put, gone: touched.filter((key) => !entries.has(key)), more: false }
    },
  }
}

import {
  type Changes,
  type Commit,
  checkCommit,
  checkHead,
  checkImported,
  checkRange,
  checkSince,
  compareKeys,
  type Entry,
  type Json,
  parseFrozen,
  type Range,
  type Rev,
  type Since,
  type Store,
  StoreError,
  type Verdict,
  type View,
} from '../../../src/store/index.ts'

/** What can be wrong with an adapter: a mistake each, as people make them. */
export const faults = [
  'a refused commit takes a revision',
  'only the first stale key is told',
  'every expected key is told as stale',
  'one refused commit sinks its batch',
  'commits of a batch do not see one another',
  'created is that of the newest write',
  'created survives deletion',
  'a touch does not raise its mark',
  'a touch makes no mark that is not there',
  'an expectation of 0 always holds',
  'expectations of marks are not looked at',
  'expectations are checked before the lock',
  'ids are not remembered',
  'ids are remembered by their handle only',
  'a resubmitted id is answered with the present head',
  'a refusal under again is not remembered',
  'refusals are remembered by their handle only',
  'a refusal is of the next revision',
  'an id twice in a batch applies twice',
  'keys are in UTF-16 order',
  'keys are in the order of a locale',
  'prefixes ignore case',
  'prefixes are patterns',
  'from is exclusive',
  'after is inclusive',
  'bounds do not turn with the direction',
  'reverse is ignored',
  'limit 0 is no limit',
  'the limit is one too many',
  'the limit is taken before the bounds',
  'get answers in the order of keys',
  'get answers each key once',
  'get answers for a key that cannot be',
  'a view reads what is newest',
  'a view scans what is newest',
  'the revision of a view is the head',
  'a view is of the moment before the newest commit',
  'what a read throws is lost',
  'values are not frozen',
  'values lose own __proto__',
  'values lose U+0000',
  'bad commits are taken',
  'a bad commit stops a batch half-way',
  'bad ranges are taken',
  'bad sinces are taken',
  'changes tell a key once for each write',
  'changes leave out what is gone',
  'changes do not filter what is gone',
  'changes ignore their prefixes',
  'changes below nothing do not move on',
  'changes never say that there is more',
  'changes end in the middle of a commit',
  'a limit of 0 gives no commit',
  'changes tell entries newer than their revision',
  'changes are one revision behind',
  'a wait is woken by its own handle only',
  'a wait is woken by nothing',
  'a wait ignores its signal',
  'a wait ends with an error',
  'a wait in the background is none',
  'changes beyond the head wait',
  'changes beyond the head are empty',
  'an import ends at its newest revision',
  'an import takes a realm that has data',
  'an import is seen while it is under way',
  'a broken import leaves what it had',
  'changes from before an import are answered',
  'an import takes a key twice',
  'an import takes any entry',
  'an import takes any head',
  'marks are left out of an import',
  'a closed store answers',
  'a second close fails',
  'a reopened realm lacks the newest commit',
  'a reopened realm counts from 0',
  'a reopened realm has forgotten ids',
  'a reopened realm has forgotten refusals',
  'a reopened realm has forgotten an import',
  'nothing is ever compacted',
  'compacted changes are answered in part',
  'old keys are compacted with their commits',
  'ids are forgotten sooner than commits',
  'long keys are cut',
  'large values are cut',
  'writers at once are turned away',
  'deleting an absent key fails',
  'a deleted mark stays',
  'reads of other handles lag',
  'the head of other handles lags',
] as const

/** Mistakes about waits, pages and neighbours, each with the case that finds it, and a part of what that case says. */
export const namedFaults = {
  "a peer's wait is never woken": [
    'a wait ends with the next commit, on every handle',
    'changes after 0 was not answered within 10 s',
  ],
  'a wait in the background is never woken': [
    'a wait in the background ends with a commit as any other does',
    'nothing was answered for 10 s; still waiting: changes after 1 in the background',
  ],
  'a close wakes no wait': ['a wait ends when its store is closed', 'changes after 0 was not answered'],
  'a wait in the background keeps the process alive': [
    'a wait that a caller awaits keeps the process alive, one in the background does not',
    'a wait in the background keeps the process alive',
  ],
  'an awaited wait lets the process end': [
    'a wait that a caller awaits keeps the process alive, one in the background does not',
    'a wait that is awaited lets the process end',
  ],
  'a page of changes is torn over two commits': [
    'changes are of one moment: no commit is torn, and a page tells all up to its revision, while another handle commits',
    'left is of',
  ],
  'ids are remembered for all realms': [
    'realms side by side are apart: in ids, keys, revisions and waits',
    'the entry of the other realm',
  ],
} as const
export type Fault = (typeof faults)[number] | keyof typeof namedFaults

interface Logged {
  readonly id: string
  readonly keys: readonly string[]
}

/** What a realm keeps: the disk, as it were. */
interface Disk {
  entries: Map<string, Entry>
  log: Logged[]
  /** The revision before the first logged commit. */
  floor: Rev
  verdicts: Map<string, Verdict>
  refusals: Map<string, Verdict>
  isImporting: boolean
  readonly wake: Set<() => void>
}

const disks = new WeakMap<Store, Disk>()
const allVerdicts = new Map<string, Verdict>()
const moment = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A store on a disk of its own. */
export const plainStore = (fault?: Fault, remember = 100_000): Store => open(newDisk(), fault, remember)

const newDisk = (): Disk => ({
  entries: new Map(),
  log: [],
  floor: 0,
  verdicts: new Map(),
  refusals: new Map(),
  isImporting: false,
  wake: new Set(),
})

const diskOf = (store: Store): Disk => {
  const disk = disks.get(store)
  if (disk === undefined) throw new Error('no store of this file')
  return disk
}

/** Another handle on the realm of a store. */
export const plainPeer = async (store: Store, fault?: Fault): Promise<Store> =>
  open(diskOf(store), fault, undefined, true)

/** The realm of a store as the next process finds it. */
export async function plainReopened(store: Store, fault?: Fault): Promise<Store> {
  await store.close()
  const disk = { ...diskOf(store), wake: new Set<() => void>() }
  const newest = disk.log.at(-1)
  if (fault === 'a reopened realm lacks the newest commit' && newest !== undefined) {
    disk.entries = new Map(disk.entries)
    for (const key of newest.keys) disk.entries.delete(key)
  }
  if (fault === 'a reopened realm counts from 0') Object.assign(disk, { log: [], floor: 0 })
  if (fault === 'a reopened realm has forgotten ids') disk.verdicts = new Map()
  if (fault === 'a reopened realm has forgotten refusals') disk.refusals = new Map()
  if (fault === 'a reopened realm has forgotten an import' && disk.log.length === 0)
    Object.assign(disk, newDisk())
  return open(disk, fault)
}

function open(disk: Disk, fault?: Fault, remember = 100_000, isPeer = false): Store {
  const is = (name: Fault) => fault === name
  let isClosed = false
  const wake = new Set<() => void>()
  const ownVerdicts = new Map<string, Verdict>()
  const ownRefusals = new Map<string, Verdict>()
  const verdicts = is('ids are remembered by their handle only')
    ? ownVerdicts
    : is('ids are remembered for all realms')
      ? allVerdicts
      : disk.verdicts
  const refusals = is('refusals are remembered by their handle only') ? ownRefusals : disk.refusals
  const headOf = () => disk.floor + disk.log.length
  let lock: Promise<unknown> = Promise.resolve()
  let writers = 0
  /** What this handle last saw, for handles that lag. */
  let seen = { head: 0, entries: disk.entries }

  const insistOpen = () => {
    if (isClosed && !is('a closed store answers')) throw new StoreError('closed', 'the store was closed')
  }
  const insistWhole = () => {
    if (disk.isImporting && !is('an import is seen while it is under way'))
      throw new StoreError('locked', 'an import is under way')
  }
  const staleKeys = ({ expect = [] }: Commit, entries: ReadonlyMap<string, Entry>) => {
    const stale = expect
      .filter(({ key, rev }) => {
        if (is('an expectation of 0 always holds') && rev === 0) return false
        if (is('expectations of marks are not looked at') && key.startsWith('~')) return false
        return (entries.get(key)?.modified ?? 0) !== rev
      })
      .map(({ key }) => key)
    if (stale.length > 0 && is('only the first stale key is told')) return stale.slice(0, 1)
    if (stale.length > 0 && is('every expected key is told as stale')) return expect.map(({ key }) => key)
    return stale
  }
  const stored = (value: Json): Json => {
    let text = JSON.stringify(value)
    if (is('values lose U+0000')) text = text.replaceAll('\\u0000', '')
    if (is('large values are cut') && text.length > 1_000_000) return 'cut'
    if (is('values are not frozen')) return JSON.parse(text) as Json
    if (is('values lose own __proto__'))
      return parseFrozen(
        JSON.stringify(JSON.parse(text, (key, inner: Json) => (key === '__proto__' ? undefined : inner))),
      )
    return parseFrozen(text)
  }
  const keyed = (key: string) => (is('long keys are cut') ? key.slice(0, 255) : key)

  const judge = (
    commit: Commit,
    before: ReadonlyMap<string, Entry>,
    inBatch: ReadonlySet<string>,
  ): Verdict => {
    const past = verdicts.get(commit.id) ?? refusals.get(commit.id)
    const isRepeated = is('an id twice in a batch applies twice') && inBatch.has(commit.id)
    if (past !== undefined && !is('ids are not remembered') && !isRepeated)
      return is('a resubmitted id is answered with the present head') ? { ...past, rev: headOf() } : past
    const stale = staleKeys(commit, before)
    if (stale.length > 0) {
      const rev = headOf() + (is('a refusal is of the next revision') ? 1 : 0)
      const no = { ok: false, rev, stale } as const
      if (is('a refused commit takes a revision')) disk.log.push({ id: commit.id, keys: [] })
      if (commit.again === true && !is('a refusal under again is not remembered')) refusals.set(commit.id, no)
      return no
    }
    const rev = headOf() + 1
    const keys: string[] = []
    const entries = new Map(disk.entries)
    const write = (key: string, value: Json) => {
      const old = entries.get(key) ?? (is('created survives deletion') ? graves.get(key) : undefined)
      const created = is('created is that of the newest write') ? rev : (old?.created ?? rev)
      entries.set(keyed(key), { key: keyed(key), value, created, modified: rev })
      keys.push(keyed(key))
    }
    for (const { key, value } of commit.put ?? []) write(key, stored(value))
    for (const key of commit.touch ?? []) {
      const isThere = entries.has(key)
      if (is('a touch does not raise its mark') && isThere) continue
      if (is('a touch makes no mark that is not there') && !isThere) continue
      write(key, null)
    }
    for (const key of commit.del ?? []) {
      const old = entries.get(key)
      if (old === undefined && is('deleting an absent key fails'))
        throw new StoreError('unknown', 'no such key')
      if (old !== undefined) graves.set(key, old)
      if (!(is('a deleted mark stays') && key.startsWith('~'))) entries.delete(key)
      keys.push(key)
    }
    disk.entries = entries
    disk.log.push({ id: commit.id, keys })
    const yes = { ok: true, rev } as const
    verdicts.set(commit.id, yes)
    return yes
  }
  const graves = new Map<string, Entry>()

  const compact = () => {
    if (is('nothing is ever compacted')) return
    const over = disk.log.length - remember
    if (over <= 0) return
    const gone = disk.log.splice(0, over)
    disk.floor += over
    for (const { id, keys } of gone) {
      verdicts.delete(id)
      if (is('old keys are compacted with their commits')) for (const key of keys) disk.entries.delete(key)
    }
    if (is('ids are forgotten sooner than commits'))
      for (const { id } of disk.log.slice(0, Math.ceil(remember / 2))) verdicts.delete(id)
  }

  const scan = (entries: ReadonlyMap<string, Entry>, range: Range): Entry[] => {
    if (!is('bad ranges are taken')) checkRange(range)
    const { prefix, from, after } = range
    const limit = range.limit === 0 && is('limit 0 is no limit') ? undefined : range.limit
    const sign = range.reverse === true && !is('reverse is ignored') ? -1 : 1
    const compare = is('keys are in UTF-16 order')
      ? (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
      : is('keys are in the order of a locale')
        ? (a: string, b: string) => a.localeCompare(b)
        : compareKeys
    const turned = is('bounds do not turn with the direction') ? 1 : sign
    const inBounds = ({ key }: Entry) =>
      (from === undefined || compare(key, from) * turned >= (is('from is exclusive') ? 1 : 0)) &&
      (after === undefined || compare(key, after) * turned >= (is('after is inclusive') ? 0 : 1))
    const most = limit === undefined ? undefined : limit + (is('the limit is one too many') ? 1 : 0)
    const below = [...entries.values()]
      .filter(({ key }) => isBelow(key, prefix))
      .sort((a, b) => compare(a.key, b.key) * sign)
    if (is('the limit is taken before the bounds')) return below.slice(0, most).filter(inBounds)
    return below.filter(inBounds).slice(0, most)
  }
  const isBelow = (key: string, prefix: string): boolean => {
    if (is('prefixes ignore case')) return key.toLowerCase().startsWith(prefix.toLowerCase())
    if (is('prefixes are patterns'))
      return new RegExp(`^${prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('_', '.')}`, 's').test(
        key,
      )
    return key.startsWith(prefix)
  }

  const viewOf = (): View => {
    let [entries, rev] = [disk.entries, headOf()]
    if (is('reads of other handles lag')) entries = seen.entries
    const newest = disk.log.at(-1)
    if (is('a view is of the moment before the newest commit') && newest !== undefined) {
      entries = new Map(entries)
      for (const key of newest.keys) entries.delete(key)
      rev -= 1
    }
    const read = (isNewest: boolean) => (isNewest ? disk.entries : entries)
    return {
      get rev() {
        return is('the revision of a view is the head') ? headOf() : rev
      },
      get: async (keys) => {
        const at = read(is('a view reads what is newest'))
        await moment()
        if (is('get answers for a key that cannot be'))
          return keys.map((key) => at.get(key.replaceAll('\u0000', '').slice(0, 1)))
        if (is('get answers in the order of keys')) return [...keys].sort().map((key) => at.get(key))
        if (is('get answers each key once')) return [...new Set(keys)].map((key) => at.get(key))
        return keys.map((key) => at.get(key))
      },
      scan: async (range) => {
        await moment()
        return scan(read(is('a view scans what is newest')), range)
      },
    }
  }

  const collect = async ({ after, prefixes, limit = Number.POSITIVE_INFINITY }: Since): Promise<Changes> => {
    const head = headOf()
    const beyond = after > head
    if (beyond && is('changes beyond the head are empty'))
      return { rev: after, put: [], gone: [], more: false }
    const isOld = after < disk.floor && !is('changes from before an import are answered')
    if ((isOld && !is('compacted changes are answered in part')) || beyond)
      throw new StoreError('compacted', `revision ${after} is not remembered`)
    if (is('changes below nothing do not move on') && prefixes.length === 0)
      return { rev: after, put: [], gone: [], more: false }
    let entries = disk.entries
    const changed: string[] = []
    let rev = Math.max(after, disk.floor)
    for (const { keys } of disk.log.slice(Math.max(0, after - disk.floor))) {
      const isFirst = rev === Math.max(after, disk.floor)
      if (changed.length >= limit && (!isFirst || is('a limit of 0 gives no commit'))) break
      const listed = keys.filter(
        (key) => is('changes ignore their prefixes') || prefixes.some((one) => isBelow(key, one)),
      )
      changed.push(
        ...(is('changes end in the middle of a commit') ? listed.slice(0, Math.max(1, limit - 1)) : listed),
      )
      rev += 1
    }
    if (is('changes tell entries newer than their revision')) {
      for (let turn = 0; turn < 3; turn += 1) await moment()
      entries = disk.entries
    }
    const isTorn = is('a page of changes is torn over two commits') && limit !== Number.POSITIVE_INFINITY
    if (isTorn) for (let turn = 0; turn < 3; turn += 1) await moment()
    const keys = is('changes tell a key once for each write') ? changed : [...new Set(changed)]
    const put = keys.flatMap((key) => (isTorn && key === 'left' ? disk.entries : entries).get(key) ?? [])
    const gone = keys.filter((key) => !entries.has(key))
    const all = is('changes do not filter what is gone')
      ? [...new Set(disk.log.slice(after - disk.floor).flatMap((one) => one.keys))].filter(
          (key) => !entries.has(key),
        )
      : gone
    return {
      rev: is('changes are one revision behind') ? Math.max(after, rev - 1) : rev,
      put,
      gone: is('changes leave out what is gone') ? [] : all,
      more: is('changes never say that there is more') ? false : rev < head,
    }
  }

  const store: Store = {
    head: async () => {
      insistOpen()
      insistWhole()
      return is('the head of other handles lags') ? seen.head : headOf()
    },
    read: async (fn) => {
      insistOpen()
      insistWhole()
      try {
        return await fn(viewOf())
      } catch (error) {
        if (!is('what a read throws is lost')) throw error
        return undefined as never
      }
    },
    commit: async (batch) => {
      insistOpen()
      const isHalf = is('a bad commit stops a batch half-way')
      if (!is('bad commits are taken') && !isHalf) for (const commit of batch) checkCommit(commit)
      const before = disk.entries
      writers += 1
      if (is('writers at once are turned away') && writers > 1) {
        writers -= 1
        throw new StoreError('locked', 'another writer is at work')
      }
      const turn = lock.then(moment)
      lock = turn
      await turn
      await moment()
      writers -= 1
      const inBatch = new Set<string>()
      const early =
        is('expectations are checked before the lock') || is('commits of a batch do not see one another')
      const undo = { entries: disk.entries, log: [...disk.log] }
      const answers: Verdict[] = []
      for (const commit of batch) {
        if (isHalf) checkCommit(commit)
        answers.push(judge(commit, early ? before : disk.entries, inBatch))
        inBatch.add(commit.id)
      }
      if (is('one refused commit sinks its batch') && answers.some(({ ok }) => !ok)) Object.assign(disk, undo)
      compact()
      seen = { head: headOf(), entries: disk.entries }
      for (const up of is('a wait is woken by its own handle only') ? wake : disk.wake) up()
      return answers
    },
    changes: async (since) => {
      insistOpen()
      if (!is('bad sinces are taken')) checkSince(since)
      insistWhole()
      const { after, waitMs = 0, signal, background } = since
      const isNew = () => headOf() !== after && !(is('changes beyond the head wait') && after > headOf())
      if (waitMs > 0 && !(is('a wait in the background is none') && background === true)) {
        const end = performance.now() + Math.min(waitMs, 500)
        const sleepsOn =
          (is("a peer's wait is never woken") && isPeer) ||
          (is('a wait in the background is never woken') && background === true)
        if (sleepsOn) await new Promise<never>(() => undefined)
        const isHeld = is('a wait in the background keeps the process alive') || background !== true
        while (!isNew() && !isClosed && (is('a wait ignores its signal') || signal?.aborted !== true)) {
          const isOver = performance.now() > end
          if (isOver && is('a wait ends with an error')) throw new StoreError('unreachable', 'timed out')
          if (isOver) break
          let up = () => {}
          let timer: NodeJS.Timeout | undefined
          await new Promise<void>((resolve) => {
            up = resolve
            wake.add(up)
            if (!is('a wait is woken by nothing')) disk.wake.add(up)
            signal?.addEventListener('abort', up, { once: true })
            if (is('a close wakes no wait')) return
            timer = setTimeout(up, 20)
            if (!isHeld || is('an awaited wait lets the process end')) timer.unref()
          })
          clearTimeout(timer)
          wake.delete(up)
          disk.wake.delete(up)
          signal?.removeEventListener('abort', up)
          if (is('a wait is woken by nothing')) await new Promise((resolve) => setTimeout(resolve, 30))
        }
        const isOthers = is('a wait is woken by its own handle only') && headOf() !== seen.head
        if (isOthers || (is('changes beyond the head wait') && after > headOf()))
          return { rev: after, put: [], gone: [], more: false }
        if ((is('a wait is woken by nothing') || is('a wait ignores its signal')) && after === 0)
          return { rev: after, put: [], gone: [], more: headOf() > after }
      }
      // A caller that asks over and over must not keep everything else from happening.
      await moment()
      insistOpen()
      return collect(since)
    },
    import: async (source, head) => {
      insistOpen()
      if (!is('an import takes any head')) checkHead(head)
      if (headOf() > 0 && !is('an import takes a realm that has data'))
        throw new StoreError('not_empty', 'an import needs an empty realm')
      const entries = new Map<string, Entry>()
      disk.isImporting = true
      const isSeen = is('an import is seen while it is under way') || is('a broken import leaves what it had')
      try {
        for await (const one of source) {
          if (!is('an import takes any entry')) checkImported(one, head)
          if (entries.has(one.key) && !is('an import takes a key twice'))
            throw new StoreError('invalid', 'imported twice')
          if (is('marks are left out of an import') && one.key.startsWith('~')) continue
          entries.set(one.key, { ...one, value: one.value === null ? null : stored(one.value) })
          if (isSeen) disk.entries = entries
        }
        const newest = Math.max(0, ...[...entries.values()].map(({ modified }) => modified))
        Object.assign(disk, {
          entries,
          floor: is('an import ends at its newest revision') ? newest : head,
          log: [],
        })
      } finally {
        disk.isImporting = false
      }
      seen = { head: headOf(), entries: disk.entries }
    },
    close: async () => {
      if (isClosed && is('a second close fails')) throw new Error('closed already')
      isClosed = true
      if (!is('a close wakes no wait')) for (const up of disk.wake) up()
    },
  }
  disks.set(store, disk)
  return store
}

import { StoreError } from './errors.ts'
import { checkBytes, checkLeastBytes, checkTextBytes, vet, vetForm } from './json.ts'
import { checkKey, isMark, shown } from './keys.ts'
import { type Commit, type Entry, limits, type Range, type Rev, type Since } from './port.ts'

/**
 * Refuses a commit that some adapter could not store, and freezes its values. Every adapter and decorator calls it
 * first, so that all of them refuse the same commits.
 *
 * @returns an upper bound of the values' size in bytes
 * @throws {@link StoreError} of code `invalid`
 */
export function checkCommit(commit: Commit): number {
  return bytesOf(commit.put ?? [], checkForm(commit))
}

/** An upper bound of the size of values in bytes, of all together and of the largest. */
export interface Bound {
  readonly bytes: number
  readonly largest: number
}

/** The same for an adapter that makes the texts of values itself, and refuses with them those that are too large. */
export function checkForm(commit: Commit): Bound {
  const { id, expect = [], put = [], del = [], touch = [] } = commit
  if (
    typeof id !== 'string' ||
    id.length > 200 ||
    (!plainId.test(id) && (id === '' || /\p{Cs}|\0/u.test(id)))
  )
    throw new StoreError('invalid', 'a commit needs an id of 1 to 200 characters')
  const writes = put.length + del.length + touch.length
  if (writes === 0) throw new StoreError('invalid', 'a commit must put, delete or touch something')
  if (writes > limits.keysPerCommit)
    throw new StoreError('invalid', `a commit writes at most ${limits.keysPerCommit} keys, not ${writes}`)
  if (expect.length > limits.expectsPerCommit)
    throw new StoreError(
      'invalid',
      `a commit expects at most ${limits.expectsPerCommit} keys, not ${expect.length}`,
    )
  for (const { key, rev } of expect) {
    checkKey(key)
    checkRev(rev)
  }
  for (const { key, value } of put) {
    checkRecordKey(key)
    if (value === null) throw new StoreError('invalid', `null cannot be put, only deleted: ${shown(key)}`)
  }
  const bound = boundOf(put)
  for (const key of del) checkDeleted(key, expect)
  for (const key of touch) {
    checkKey(key)
    if (!isMark(key)) throw new StoreError('invalid', `only a mark can be touched, not ${shown(key)}`)
  }
  if (writes > 1) checkOnce(put, del, touch, writes)
  return bound
}

/**
 * Refuses the values of a commit that are not JSON or too large, alone or together, and freezes them.
 *
 * @returns an upper bound of their size in bytes
 */
export const checkValues = (put: Values): number => bytesOf(put, boundOf(put))

type Values = NonNullable<Commit['put']>

function boundOf(put: Values): Bound {
  let [bytes, largest] = [0, 0]
  for (const { value } of put) {
    const bound = vetForm(value)
    bytes += bound
    if (bound > largest) largest = bound
  }
  return { bytes, largest }
}

/** The bound, or the size if only that tells whether the values are too large. */
function bytesOf(put: Values, { bytes, largest }: Bound): number {
  if (bytes <= limits.commitBytes && largest <= limits.valueBytes) return bytes
  checkLeast(put)
  const add = sizesOf(put)
  let size = 0
  for (const { value } of put) size = add(checkTextBytes(value))
  return size
}

/** Refuses values that are too large whatever their text, before their text is measured. */
export function checkLeast(put: Values): void {
  let least = 0
  for (const { value } of put) least += checkLeastBytes(value)
  if (least > limits.commitBytes) throw tooMuch(`at least ${least}`)
}

/** Returns a function that adds the size of the text of each value, in order, and refuses too much. */
export function sizesOf(put: Values): (bytes: number) => number {
  let [total, left] = [0, put.length]
  return (bytes) => {
    total += checkBytes(bytes)
    left -= 1
    if (total > limits.commitBytes) throw tooMuch(left === 0 ? `${total}` : `at least ${total}`)
    return total
  }
}

const tooMuch = (bytes: string) =>
  new StoreError(
    'invalid',
    `the values of a commit have at most ${limits.commitBytes} bytes of JSON in total, not ${bytes}`,
  )

/** A fast path: most ids are plain. */
const plainId = /^[\x20-\x7e]+$/

function checkOnce(
  put: readonly { readonly key: string }[],
  del: readonly string[],
  touch: readonly string[],
  writes: number,
): void {
  const seen = new Set<string>()
  for (const { key } of put) seen.add(key)
  for (const key of del) seen.add(key)
  for (const key of touch) seen.add(key)
  if (seen.size !== writes) throw new StoreError('invalid', 'a commit may write each key once')
}

function checkRecordKey(key: string): void {
  checkKey(key)
  if (isMark(key)) throw new StoreError('invalid', `a mark can only be touched: ${shown(key)}`)
}

/** A commit that deletes a mark must know that no record raises it any more, which its expectation guarantees. */
function checkDeleted(key: string, expect: NonNullable<Commit['expect']>): void {
  checkKey(key)
  if (isMark(key) && expect.every((each) => each.key !== key))
    throw new StoreError('invalid', `only a commit that expects a mark can delete it: ${shown(key)}`)
}

/** The highest head of an import: revisions after it stay safe integers. */
const highestHead = 2 ** 52

/**
 * Refuses a head that no realm can be imported at: it is a whole number from 0 to 2^52. Called before the first entry
 * is read, since there may be none.
 *
 * @throws {@link StoreError} of code `invalid`
 */
export function checkHead(head: Rev): void {
  checkRev(head)
  if (head > highestHead)
    throw new StoreError('invalid', `the head of an import is at most 2^52, not ${head}`)
}

/** Refuses values that cannot be a revision. */
export function checkRev(rev: Rev): void {
  if (!Number.isSafeInteger(rev) || rev < 0)
    throw new StoreError('invalid', `a revision is a whole number from 0, not ${rev}`)
}

/**
 * Refuses a range whose bounds are not valid Unicode or whose limit is not a whole number from 0.
 *
 * @throws {@link StoreError} of code `invalid`
 */
export function checkRange(range: Range): void {
  checkBound(range.prefix)
  if (range.from !== undefined) checkBound(range.from)
  if (range.after !== undefined) checkBound(range.after)
  checkLimit(range.limit)
}

/**
 * Refuses a query for changes whose `after` is not a revision, or whose prefixes or limit are not valid.
 *
 * @throws {@link StoreError} of code `invalid`
 */
export function checkSince({ after, prefixes, limit }: Since): void {
  checkRev(after)
  for (const prefix of prefixes) checkBound(prefix)
  checkLimit(limit)
}

function checkBound(bound: string): void {
  if (!plainBound.test(bound) && /\p{Cs}|\0/u.test(bound))
    throw new StoreError('invalid', `a bound must be valid Unicode without U+0000: ${shown(bound)}`)
}

function checkLimit(limit: number | undefined): void {
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0))
    throw new StoreError('invalid', `a limit is a whole number from 0, not ${limit}`)
}

/** A fast path: most bounds are plain. */
const plainBound = /^[\x01-\x7e]*$/

/**
 * Refuses an entry that is not valid in a realm whose head is `head`, and freezes its value.
 *
 * @throws {@link StoreError} of code `invalid`
 */
export function checkImported(entry: Entry, head: Rev): void {
  const { key, value, created, modified } = entry
  checkKey(key)
  if ((value === null) !== isMark(key))
    throw new StoreError('invalid', `only marks have the value null: ${shown(key)}`)
  vet(value)
  const ordered = created >= 1 && created <= modified && modified <= head
  if (!Number.isSafeInteger(created) || !Number.isSafeInteger(modified) || !ordered)
    throw new StoreError(
      'invalid',
      `revisions must rise from 1 to the head ${head}, not ${created}, ${modified}: ${shown(key)}`,
    )
}

/**
 * Refuses what no realm can be named.
 *
 * @throws TypeError when there is no name: a realm "undefined" would be shared by accident
 * @throws {@link StoreError} of code `invalid`
 */
export function checkRealmName(realm: unknown): void {
  if (typeof realm !== 'string')
    throw new TypeError("realm is missing: pass the name of the realm, as in { realm: 'secrets' }")
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(realm))
    throw new StoreError(
      'invalid',
      `a realm's name has 1 to 64 letters, digits, "-", "_": ${JSON.stringify(realm)}`,
    )
}

/** Whether a key begins with one of some prefixes. */
export function isBelow(key: string, prefixes: readonly string[]): boolean {
  for (const prefix of prefixes) if (key.startsWith(prefix)) return true
  return false
}

/** Every key begins with the empty prefix. */
export const anyKey = (): boolean => true

/** The same for prefixes that are tested often: only those with the key's first characters are compared. */
export function belowAny(prefixes: readonly string[]): (key: string) => boolean {
  if (prefixes.includes('')) return anyKey
  const byFirst = new Map<number, string[]>()
  for (const prefix of prefixes) {
    const alike = byFirst.get(prefix.charCodeAt(0))
    if (alike === undefined) byFirst.set(prefix.charCodeAt(0), [prefix])
    else alike.push(prefix)
  }
  return (key) => {
    for (const prefix of byFirst.get(key.charCodeAt(0)) ?? []) if (key.startsWith(prefix)) return true
    return false
  }
}

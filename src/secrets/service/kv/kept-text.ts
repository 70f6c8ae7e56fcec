import { holdsMoreThan, type JsonLimits } from '../../../http/json-limits.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { prefixOf, StoreError, type Tx, type View } from '../../../store/index.ts'
import type { Concept, Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { debris } from '../core/records.ts'
import { type KeptText, type Pieces, textPieces, unfinishedTexts } from './records.ts'

/** 32 MiB, the largest request, with a margin for programs that embed the service. */
const mostUnits = 48 * 1024 * 1024

const mostValues = 30_000
const mostInOne = 10_000

/**
 * How many values a secret may have, and the body of any request: reading and writing more would hold the process. The
 * original has the same limit for one object or list.
 */
export const secretLimits: JsonLimits = { all: mostValues, each: mostInOne }

const tooMany = refuse(
  'secret_too_large',
  `the secret has more than ${mostValues} values, or more than ${mostInOne} in one object or list`,
)

const tooLong = refuse('secret_too_large', 'the secret is larger than 48 Mi characters')

// A store writes a commit in one piece, so that a commit of 30 MB would hold up all other work: each piece of a long
// text has a commit of its own, before the decision that refers to them.

/** The units of a piece: sealed, those of most texts fit one transaction of etcd. */
const pieceUnits = 512 * 1024

/** How long the pieces of a text may wait for the decision that refers to them. */
const unfinishedMs = 10 * 60_000

/** Pieces read at a time. */
const piecesAtOnce = 4

/** Stores the pieces of a text, if it is long, and deletes them if the work that refers to them is refused. */
export async function keepText<Done extends { readonly ok: boolean }>(
  core: Core,
  text: string,
  work: (kept: KeptText) => Promise<Done>,
): Promise<Done | Refused<'secret_too_large'>> {
  if (text.length > pieceUnits) await nextMacrotask()
  if (text.length > mostUnits) return tooLong
  if (holdsMoreThan(text, secretLimits)) return tooMany
  if (text.length <= pieceUnits) return work({ json: text })
  const pieces = await storePieces(core, text)
  const result = await work({ json: '', pieces })
  if (!result.ok) await dropUnfinished(core, pieces)
  return result
}

/** Notes in a decision that its writes refer to these pieces of a text, which stay from then on. */
export function finishText(tx: Tx, { id }: Pieces): void {
  if (!tx.delete(unfinishedTexts, id)) throw tooSlow()
}

/** The keys of a text's pieces. */
export const prefixesOf = ({ pieces }: { readonly pieces?: Pieces }): readonly string[] =>
  pieces ? [prefixOf(textPieces.name, pieces.id)] : []

/** Reads a text, with turns of the event loop between its pieces; `undefined` if they were deleted meanwhile. */
export async function readText(view: View, { json, pieces }: KeptText): Promise<string | undefined> {
  if (pieces === undefined) return json
  const texts: string[] = []
  for (let first = 1; first <= pieces.count; first += piecesAtOnce) {
    const last = Math.min(pieces.count, first + piecesAtOnce - 1)
    const keys = Array.from({ length: last - first + 1 }, (_, at) => textPieces.keyOf(pieces.id, first + at))
    for (const entry of await view.get(keys)) {
      if (entry === undefined) return undefined
      texts.push(textPieces.stored(entry).value.text)
    }
    await nextMacrotask()
  }
  return texts.join('')
}

async function storePieces(core: Core, text: string): Promise<Pieces> {
  const { now, newId } = core.env()
  const id = newId('text')
  await core.commit((tx) => done(tx.put(unfinishedTexts, { id, until: now + unfinishedMs })))
  let count = 0
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    const record = { id, piece: count + 1, text: text.slice(start, end) }
    await nextMacrotask()
    await core.commit((tx) => {
      if (tx.get(unfinishedTexts, id) === undefined) throw tooSlow()
      return done(tx.put(textPieces, record))
    })
    count += 1
    start = end
  }
  return { id, count }
}

/** The end of the piece that starts at a place: never within a surrogate pair. */
function endOfPiece(text: string, start: number): number {
  const end = Math.min(text.length, start + pieceUnits)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

const tooSlow = () =>
  new StoreError(
    'contended',
    'the secret was not stored within ten minutes, and its parts are deleted: try again',
  )

/** Leaves the pieces of a refused text to the sweeper; if that fails, it finds them when they are due. */
async function dropUnfinished(core: Core, { id, count }: Pieces): Promise<void> {
  const drop = core.commit((tx, { now }) => {
    giveUp(tx, id)
    core.sweeper.at(now)
    return done(count)
  })
  await drop.catch(core.report)
}

function giveUp(tx: Tx, id: string): boolean {
  if (!tx.delete(unfinishedTexts, id)) return false
  tx.put(debris, { id, prefixes: [prefixOf(textPieces.name, id)] })
  return true
}

const unfinishedIn = async (core: Core) => unfinishedTexts.list(await core.fresh()).map(({ value }) => value)

/** Gives up texts that nothing referred to in time: their process has ended, or has lost its store. */
export const sweepUnfinished: NonNullable<Concept['sweep']> = async (core) => {
  const { now } = core.env()
  const due = (await unfinishedIn(core)).filter(({ until }) => until <= now)
  for (const { id } of due) await core.commit((tx) => done(giveUp(tx, id)))
  return due.length
}

/** When the next unfinished text is due. */
export const nextUnfinished: NonNullable<Concept['nextExpiry']> = async (core) => {
  const times = (await unfinishedIn(core)).map(({ until }) => until)
  return times.length === 0 ? undefined : Math.min(...times)
}

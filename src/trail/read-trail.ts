import * as z from 'zod'
import { compile, type Filter, FilterError } from '../filter/index.ts'
import { type Answer, type Refused, refuse } from '../kernel/index.ts'
import { nextMacrotask } from '../kernel/next-macrotask.ts'
import { formatPageToken, parsePageToken } from '../paging/index.ts'
import type { Store } from '../store/index.ts'
import { type Change, page, type TrailPosition } from './trail.ts'

/** A change as filters and answers have it. */
export const ChangeReply = z
  .strictObject({
    time: z.string().meta({ description: 'when it was made, RFC 3339' }),
    type: z.string(),
    by: z.string().nullable(),
    subject: z.string().nullable(),
    detail: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Change' })

/** A page of changes, newest first. */
export const TrailReply = z
  .strictObject({ changes: z.array(ChangeReply), next: z.string().nullable() })
  .meta({ id: 'Trail' })

/** The query of a page of changes. */
export const TrailWireQuery = z.object({
  filter: z
    .string()
    .optional()
    .describe('an expression on changes, such as by == "ada" and time > now - 24h'),
  limit: z.string().optional().describe('changes per page: 1 to 1000, 100 by default'),
  after: z.string().optional().describe('`next` of the page before'),
})

/**
 * Which changes to read.
 */
export interface TrailQuery {
  /** An expression of the filter language on the fields of a change; all changes by default. */
  readonly filter?: string | undefined
  /** The maximum number of changes, from 1 to 1000; 100 by default. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly after?: string | undefined
}

/** The checks of the fields of a query, for the argument of an operation. */
export const trailQueryFields = {
  filter: z.string().optional(),
  limit: z.number().optional(),
  after: z.string().optional(),
} satisfies Readonly<Record<keyof TrailQuery, z.ZodType>>

/**
 * A page of changes, newest first.
 */
export interface TrailPage {
  readonly changes: readonly Change[]
  /** The token of the next page; null after the last. A page may have fewer changes than `limit` before the last. */
  readonly next: string | null
}

/** How many changes are read from the store at once. */
const batchSize = 256
/** How many changes one call examines: a filter that matches few would otherwise read them all. */
const examinedPerCall = 50_000
/** The work of a filter for one change. */
const steps = 20_000

const Row = z.object({
  time: z.date(),
  type: z.string(),
  by: z.string(),
  subject: z.string(),
  detail: z.record(z.string(), z.string()),
})
type Row = z.infer<typeof Row>

const rowOf = ({ at, type, by, subject, detail }: Change): Row => ({
  time: new Date(at),
  type,
  by: by ?? '',
  subject: subject ?? '',
  detail: { ...detail },
})

/** The query of a request. */
export const trailQueryOf = ({ filter, limit, after }: z.infer<typeof TrailWireQuery>): TrailQuery => ({
  filter,
  limit: limit === undefined || limit === '' ? undefined : Number(limit),
  after,
})

/** A page as answers have it. */
export const trailView = ({ changes, next }: TrailPage): z.infer<typeof TrailReply> => ({
  changes: changes.map(changeView),
  next,
})

const changeView = ({ at, type, by, subject, detail }: Change): z.infer<typeof ChangeReply> => ({
  time: new Date(at).toISOString(),
  type,
  by,
  subject,
  detail: { ...detail },
})

/** Why changes cannot be read. */
type TrailRefusal = 'invalid_filter' | 'invalid_page'

/** Reads a page of changes, newest first. */
export async function readTrail(
  store: Pick<Store, 'read'>,
  { filter: text = '', limit = 100, after }: TrailQuery,
): Promise<Answer<TrailPage, TrailRefusal>> {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    return refuse('invalid_page', 'limit must be a whole number from 1 to 1000')
  const start = startOf(after)
  if (!start.ok) return start
  const compiled = filterOf(text)
  if (!compiled.ok) return compiled
  const found: Change[] = []
  let last = start.value
  for (let examined = 0; examined < examinedPerCall; ) {
    const batch = await store.read((view) => page(view, { after: last, limit: batchSize, reverse: true }))
    for (const change of batch) {
      const match = matches(compiled.value, change)
      if (!match.ok) return match
      if (match.value) {
        // One more than asked for proves that there is a next page.
        if (found.length === limit)
          return { ok: true, value: { changes: found, next: tokenOf(found.at(-1)) } }
        found.push(change)
      }
      last = change
    }
    if (batch.length < batchSize) return { ok: true, value: { changes: found, next: null } }
    examined += batch.length
    await nextMacrotask()
  }
  return { ok: true, value: { changes: found, next: tokenOf(last) } }
}

const tokenOf = (change: TrailPosition | undefined): string | null =>
  change === undefined ? null : formatPageToken([change.at, change.order, change.id])

function startOf(
  token: string | undefined,
): { readonly ok: true; readonly value: TrailPosition | undefined } | Refused<'invalid_page'> {
  if (token === undefined || token === '') return { ok: true, value: undefined }
  const parsed = parsePageToken(token, ['number', 'number', 'text'])
  const [at, order, id] = parsed.ok ? parsed.value : []
  return isWhole(at) && isWhole(order) && typeof id === 'string'
    ? { ok: true, value: { at, order, id } }
    : refuse(
        'invalid_page',
        '`after` must be the `next` of an earlier page: leave it out to start at the newest',
      )
}

const isWhole = (part: unknown): part is number => Number.isSafeInteger(part) && Number(part) >= 0

function filterOf(
  text: string,
): { readonly ok: true; readonly value: Filter<Row> | undefined } | Refused<'invalid_filter'> {
  if (text.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: compile(text, { schema: Row, limits: { steps } }) }
  } catch (error) {
    return refusedFilter(error)
  }
}

function matches(
  filter: Filter<Row> | undefined,
  change: Change,
): { readonly ok: true; readonly value: boolean } | Refused<'invalid_filter'> {
  try {
    return { ok: true, value: filter?.test(rowOf(change)) ?? true }
  } catch (error) {
    return refusedFilter(error)
  }
}

function refusedFilter(error: unknown): Refused<'invalid_filter'> {
  if (!(error instanceof FilterError)) throw error
  return refuse('invalid_filter', `filter: ${error.message}\n${error.caret()}`)
}

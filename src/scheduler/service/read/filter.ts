import type { ZodType } from 'zod'
import { compile, type Filter, FilterError, type Kinds } from '../../../filter/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { ownValue } from '../../../kernel/objects.ts'
import { Job } from '../../jobs/model.ts'
import { Node } from '../../nodes/model.ts'

/**
 * Compiles filters over one kind of object, and caches the latest: pages and long polls repeat theirs.
 *
 * @param kinds - which numbers are times
 */
export function filtersFor<Row>(
  schema: ZodType<Row>,
  kinds: Kinds = {},
): (text: string | undefined) => FilterFound<Row> {
  const compiled = new Map<string, Filter<Row>>()
  return (text) => {
    if (text === undefined || text.trim() === '') return { ok: true, value: undefined }
    const known = compiled.get(text)
    if (known !== undefined) return { ok: true, value: known }
    try {
      const filter = compile(text, { schema, kinds, limits: { steps } })
      if (compiled.size >= kept) compiled.delete(compiled.keys().next().value ?? '')
      compiled.set(text, filter)
      return { ok: true, value: filter }
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      return refuse(
        'invalid_filter',
        `failed to create result paginator: failed to read filter expression: ${said(error, shownOnly.get(schema))}`,
        detailOf(error),
      )
    }
  }
}

type FilterFound<Row> =
  | { readonly ok: true; readonly value: Filter<Row> | undefined }
  | Refused<'invalid_filter'>

const kept = 128

/** The maximum work per row: some ten milliseconds, because it blocks the event loop. */
const steps = 200_000

/** The refusal for a filter that failed on a row. */
export const filterFailed = (error: FilterError): Refused<'filter_failed'> =>
  refuse('filter_failed', `failed to read result page: ${said(error)}`, detailOf(error))

/** The error of a filter, with its position on two further lines. */
const said = (error: FilterError, lists: ShownOnly = {}): string => {
  const unfound = error.kind === 'not-found' && !error.message.startsWith(notFound)
  const field = error.kind === 'not-found' ? /^[^\s.[:]+/.exec(error.message)?.[0] : undefined
  const instead = field === undefined ? undefined : ownValue(lists, field)
  const hint = instead === undefined ? '' : `; lists show ${field}, filters use ${instead}`
  return `${unfound ? `${notFound}: ` : ''}${error.message}${hint}\n${error.caret()}`
}

type ShownOnly = Readonly<Record<string, string>>

/** The fields that only the list forms of objects have, with their sources: filters see the objects themselves. */
const shownOnly: ReadonlyMap<ZodType, ShownOnly> = new Map<ZodType, ShownOnly>([
  [Node, { Address: 'HTTPAddr', Drain: 'DrainStrategy', Version: 'Attributes' }],
  [Job, { JobSummary: 'Status' }],
])

const notFound = 'error finding value in datum'

const detailOf = ({ kind, span, suggestion }: FilterError) => ({
  kind,
  span: { ...span },
  ...(suggestion === undefined ? {} : { suggestion }),
})

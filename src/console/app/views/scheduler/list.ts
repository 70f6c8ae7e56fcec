import { call } from '../../data/call.ts'
import type { Reading } from '../../data/resource.ts'

/** How long the scheduler may hold a question for which there is no news. */
const wait = '60s'

type Query = Readonly<Record<string, string | number | undefined>>
interface Asked {
  readonly index: number | undefined
  readonly signal: AbortSignal
}

/** Reads a path of the scheduler; with an index it waits for what comes after it. */
export async function readScheduler<Body>(
  path: string,
  query: Query,
  { index, signal }: Asked,
): Promise<Reading<Body> & { readonly nextToken: string | undefined }> {
  const { body, headers } = await call<Body>('scheduler', path, {
    query: { ...query, ...(index === undefined ? {} : { index, wait }) },
    signal,
  })
  const next = Number(headers.get('x-scheduler-index') ?? Number.NaN)
  return {
    value: body,
    index: Number.isFinite(next) ? next : undefined,
    nextToken: headers.get('x-scheduler-nexttoken') ?? undefined,
  }
}

/** Reads a path once, without waiting for what comes after it. */
export const readOnce = async <Body>(
  path: string,
  query: Query,
  { signal }: Asked,
): Promise<Reading<Body>> => ({
  value: (await readScheduler<Body>(path, query, { index: undefined, signal })).value,
})

/** The first pages of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly isWhole: boolean
}

export const rowsPerPage = 200

/** Reads the first `pages` pages of a list; with an index it waits for news of the first one. */
export async function readPages<Row>(
  path: string,
  query: Query,
  pages: number,
  asked: Asked,
): Promise<Reading<Page<Row>>> {
  const first = await readScheduler<readonly Row[]>(path, { ...query, per_page: rowsPerPage }, asked)
  const rows = [...first.value]
  let next = first.nextToken
  for (let page = 1; page < pages && next !== undefined; page += 1) {
    const more: { readonly value: readonly Row[]; readonly nextToken: string | undefined } =
      await readScheduler(
        path,
        { ...query, per_page: rowsPerPage, next_token: next },
        { index: undefined, signal: asked.signal },
      )
    rows.push(...more.value)
    next = more.nextToken
  }
  return { value: { rows, isWhole: next === undefined }, index: first.index }
}

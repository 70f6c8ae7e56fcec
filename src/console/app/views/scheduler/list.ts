import { call } from '../../data/call.ts'
import type { Page } from '../../data/cursor-list.ts'
import type { Reading } from '../../data/resource.ts'

/** How long the scheduler may hold a waiting request. */
const wait = '60s'

type Query = Readonly<Record<string, string | number | undefined>>
interface Asked {
  readonly index: number | undefined
  readonly signal: AbortSignal
}

/** Reads a path of the scheduler; with an index it waits for the next one. */
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

/** Reads a path once, without waiting for changes. */
export const readOnce = async <Body>(
  path: string,
  query: Query,
  { signal }: Asked,
): Promise<Reading<Body>> => ({
  value: (await readScheduler<Body>(path, query, { index: undefined, signal })).value,
})

/** Reads the page of a list that begins at a cursor. */
export async function readPage<Row>(
  path: string,
  query: Query,
  perPage: number,
  { cursor, ...asked }: Asked & { readonly cursor: string | undefined },
): Promise<Page<Row>> {
  const { value, index, nextToken } = await readScheduler<readonly Row[]>(
    path,
    { ...query, per_page: perPage, next_token: cursor },
    asked,
  )
  return { rows: value, next: nextToken, index }
}

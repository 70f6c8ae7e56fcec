import type { Encoded } from '../../http/index.ts'
import { recent } from '../recent.ts'

/** More rows than this are put into text at once, and none of them is remembered. */
const longest = 1024

/**
 * JSON as clients of this service know it. The text of an answer that many share, long polls woken together, is made
 * once, and so is the text of a row that several answers show.
 *
 * @remarks
 * Only frozen rows are remembered: lists show the same frozen stub for as long as nothing about its object changes.
 */
export function spelled(): (body: unknown, request: Request, url: URL) => Encoded {
  const type = 'application/json'
  const textOf = recent((row: object) => JSON.stringify(row))
  const compact = (body: unknown): string => {
    if (!Array.isArray(body) || body.length > longest || !body.every(isFrozenObject))
      return JSON.stringify(body)
    return `[${body.map(textOf).join(',')}]`
  }
  let last: { readonly body: unknown; readonly pretty: boolean; readonly content: string } | undefined
  return (body, _request, url) => {
    const pretty =
      url.search !== '' && url.searchParams.has('pretty') && url.searchParams.get('pretty') !== '0'
    if (last === undefined || last.body !== body || last.pretty !== pretty)
      last = { body, pretty, content: pretty ? `${JSON.stringify(body, null, 4)}\n` : compact(body) }
    return { content: last.content, type }
  }
}

const isFrozenObject = (row: unknown): row is object =>
  typeof row === 'object' && row !== null && Object.isFrozen(row)

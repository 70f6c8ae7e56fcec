import type { Encoded, Exchange } from '../../http/index.ts'
import { isSerializedList } from './serialized-list.ts'

/** JSON as existing clients expect it; the text of an answer shared by many, as for long polls, is created once. */
export function jsonEncoder(): (body: unknown, exchange: Exchange) => Encoded {
  const type = 'application/json'
  let last: { readonly body: unknown; readonly pretty: boolean; readonly content: string } | undefined
  return (body, exchange) => {
    const asked = exchange.query()['pretty']
    const pretty = asked !== undefined && asked !== '0'
    if (last === undefined || last.body !== body || last.pretty !== pretty)
      last = { body, pretty, content: pretty ? indented(body) : compact(body) }
    return { content: last.content, type }
  }
}

const compact = (body: unknown): string => (isSerializedList(body) ? body.text() : JSON.stringify(body))

const indented = (body: unknown): string =>
  `${JSON.stringify(isSerializedList(body) ? body.list() : body, null, 4)}\n`

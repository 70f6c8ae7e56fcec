import { errorsArray } from './dialects.ts'
import type { Answered } from './exchange.ts'

/** The answer of a listener that refuses a request before any service sees it. */
export function edgeRefusal(status: number, message: string): Answered {
  const { content, type } = errorsArray({ code: 'listener', message }, status)
  return {
    status,
    headers: { 'content-type': type ?? 'application/json', 'cache-control': 'no-store' },
    body: `${content}\n`,
  }
}

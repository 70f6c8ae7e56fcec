import type * as z from 'zod'
import type { Refused } from '../kernel/index.ts'

/** A schema of a query or a body. @public */
export type Schema = z.ZodType

/**
 * What a part of a request is once its schema has read it. Object schemas ignore what they do not name; a query or body
 * schema that should refuse it says so itself.
 *
 * @public
 */
export type SchemaOutput<S, Otherwise> = S extends Schema ? z.output<S> : Otherwise

/** What went wrong while reading a part of a request. */
export type RequestPart = 'params' | 'query' | 'body'

/** The body of a request as the rim received it. */
export interface ReceivedBody {
  readonly text: string
  readonly json: unknown
}

/** Reads a part of a request by its schema, or refuses with the service's own wording. @public */
export type Reader = <S extends Schema>(part: RequestPart, schema: S, input: unknown) => z.output<S> | Invalid

/**
 * What a {@link Reader} gives for a part of a request that its schema refused. It is given, never thrown.
 *
 * @example
 * ```ts
 * import { Invalid, type Reader } from 'plinth/http'
 * import * as z from 'zod'
 *
 * const Page = z.object({ page: z.coerce.number() })
 * const pageOf = (read: Reader, query: unknown) => {
 *   const found = read('query', Page, query)
 *   return found instanceof Invalid ? found.refused : found.page
 * }
 * pageOf((_, schema, input) => schema.parse(input), { page: '2' }) // 2
 * ```
 *
 * @public
 */
export class Invalid {
  /** The refusal, in the service's own wording. */
  readonly refused: Refused<string>
  constructor(refused: Refused<string>) {
    this.refused = refused
  }
}

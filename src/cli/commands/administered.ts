import type { CallMore, Fields } from '../box/catalog-client.ts'
import type { Sent } from '../send.ts'

/** Sends a request below `/plinth/v1/` that must succeed, and returns the fields of the answer. */
export type Administer = (
  what: string,
  method: Sent['method'],
  parts: readonly string[],
  more?: CallMore,
) => Promise<Fields>

/** A service that commands administer, and how they reach it. */
export interface Administered {
  /** The flag with its address. */
  readonly to: { readonly type: 'string'; readonly value: string; readonly about: string }
  readonly environment: Readonly<Record<string, string>>
  readonly connect: (to: string | undefined) => Promise<Administer>
}

import { type EdgeCode, edgeStatus } from './errors.ts'

/**
 * A refusal that a service can give.
 */
export interface RefusalCode<Code extends string = string> {
  /** `refusal.code` of a method's answer. */
  readonly code: Code
  /** The default HTTP status; for a refusal that no route gives, the status that fits it. */
  readonly status: number
  /** The meaning of the refusal, in one sentence. */
  readonly meaning: string
  /** The remedy for the caller, in one sentence. */
  readonly remedy: string
}

/** The meaning of a refusal, and its remedy. */
export type RefusalTexts = readonly [meaning: string, remedy: string]

/** A refusal in a table of a service: its default HTTP status, its meaning and its remedy. */
export type RefusalRow = readonly [status: number, meaning: string, remedy: string]

/** The statuses of a table of refusals. */
export const statusesOf = <const Rows extends Readonly<Record<string, RefusalRow>>>(
  rows: Rows,
): { readonly [Code in keyof Rows]: Rows[Code][0] } =>
  // Each code has the first item of its row.
  Object.fromEntries(Object.entries(rows).map(([code, [status]]) => [code, status])) as {
    readonly [Code in keyof Rows]: Rows[Code][0]
  }

/** The texts of a table of refusals. */
export const textsOf = <const Rows extends Readonly<Record<string, RefusalRow>>>(
  rows: Rows,
): { readonly [Code in keyof Rows]: RefusalTexts } =>
  // Each code has the other items of its row.
  Object.fromEntries(
    Object.entries(rows).map(([code, [, meaning, remedy]]) => [code, [meaning, remedy]]),
  ) as unknown as { readonly [Code in keyof Rows]: RefusalTexts }

/** The texts of every refusal in a table of statuses; those of the edge exist already. */
export type TextsFor<Statuses> = Readonly<Record<Exclude<keyof Statuses, EdgeCode> & string, RefusalTexts>>

/** The refusals of requests before they reach a route. */
const edgeTexts: Readonly<Record<EdgeCode, RefusalTexts>> = {
  no_route: ['No endpoint has this path.', 'Compare the path with the endpoint reference.'],
  method_not_allowed: [
    'The path exists, but not with this method.',
    'Use one of the methods in the Allow header.',
  ],
  malformed_path: [
    'The path is not valid percent-encoded UTF-8.',
    'Encode each path segment with encodeURIComponent.',
  ],
  invalid_params: [
    'A path segment does not have the form that the endpoint expects.',
    'Correct the segment that the message names.',
  ],
  invalid_query: [
    'A query parameter is missing or has a wrong value.',
    'Correct the parameter that the message names.',
  ],
  invalid_body: [
    'A field of the body is missing or has a wrong value.',
    'Correct the field that the message names.',
  ],
  body_not_json: ['The body is not valid JSON.', 'Send a JSON document encoded in UTF-8.'],
  body_too_large: [
    'The body is larger than the service or its listener accepts.',
    'Send less, or raise the limit of the listener.',
  ],
  too_many_values: ['The body holds too many JSON values.', 'Split the request into several.'],
  too_busy: [
    'Too many request bodies are in memory at once.',
    'Retry after the seconds in the Retry-After header.',
  ],
  unavailable: ['The store cannot be reached.', 'Retry after the seconds in the Retry-After header.'],
  outcome_unknown: [
    'The connection to the store was lost during a write, which may have taken effect.',
    'Read the record before you write again.',
  ],
  storage_full: ['The store has no space left.', 'Free disk space on the server.'],
  internal: [
    'An unexpected error occurred; the message carries its id only.',
    'Look the id up in the log of the server, and report a bug.',
  ],
}

/**
 * Lists every refusal of a service, sorted by code: those of its own table, and those of any request before it reaches
 * a route. A code in `statusOf` without texts does not compile.
 */
export function refusalCodesOf<const Statuses extends Readonly<Record<string, number>>>(
  statusOf: Statuses,
  texts: NoInfer<TextsFor<Statuses>>,
): readonly RefusalCode<(keyof Statuses & string) | EdgeCode>[] {
  const statuses: Readonly<Record<string, number>> = { ...edgeStatus, ...statusOf }
  return Object.entries<RefusalTexts>({ ...edgeTexts, ...texts })
    .map(([code, [meaning, remedy]]) => ({
      // The keys of both tables are the codes.
      code: code as (keyof Statuses & string) | EdgeCode,
      status: statuses[code] ?? 500,
      meaning,
      remedy,
    }))
    .sort((a, b) => (a.code < b.code ? -1 : 1))
}

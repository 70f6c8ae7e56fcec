/** A list that knows how it is written: of texts that are remembered. */
export interface WrittenList<Item = unknown> {
  readonly list: readonly Item[]
  readonly text: () => string
}

/** Under this key the answer to a list call has its list as it is written; for whoever sends it on. */
export const written = Symbol('written')

/** What carries a list that knows how it is written, or does not. */
export interface MayBeWritten {
  readonly [written]?: WrittenList | undefined
}

/** Whether a body is such a list. */
export const isWrittenList = (body: unknown): body is WrittenList =>
  typeof body === 'object' &&
  body !== null &&
  'list' in body &&
  'text' in body &&
  typeof body.text === 'function'

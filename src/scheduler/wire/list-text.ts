/** A page of a list that is made, or put into text, when somebody looks: texts are remembered, so most are never made. */
export interface WrittenList<Item = unknown> {
  readonly list: () => readonly Item[]
  readonly text: () => string
}

/** Under this key a call says that its list is sent on as text, and the answer to such a call has it. */
export const written = Symbol('written')

/** A call that may ask for its list written, and nothing else: the answer's value is an empty list then. */
export interface MayWantWritten {
  readonly [written]?: true | undefined
}

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
  typeof body.list === 'function' &&
  typeof body.text === 'function'

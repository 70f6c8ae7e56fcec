/** A page of a list that is made, or serialised, on first use: texts are remembered, so most are never made. */
export interface SerializedList<Item = unknown> {
  readonly list: () => readonly Item[]
  readonly text: () => string
}

/** Under this key a call says that its list is sent on as text, and the answer to such a call has it. */
export const serialized = Symbol('written')

/** A call that may ask for its list written, and nothing else: the answer's value is an empty list then. */
export interface MayWantSerialized {
  readonly [serialized]?: true | undefined
}

/** What carries a list that knows how it is written, or does not. */
export interface MayBeSerialized {
  readonly [serialized]?: SerializedList | undefined
}

/** Whether a body is such a list. */
export const isSerializedList = (body: unknown): body is SerializedList =>
  typeof body === 'object' &&
  body !== null &&
  'list' in body &&
  'text' in body &&
  typeof body.list === 'function' &&
  typeof body.text === 'function'

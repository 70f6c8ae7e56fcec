/** A page of a list that is built, or serialized, on first use: texts are cached, so most are never built. */
export interface SerializedList<Item = unknown> {
  readonly list: () => readonly Item[]
  readonly text: () => string
}

/** The key under which a call requests its list as text, and under which the answer has it. */
export const serialized = Symbol('written')

/** A call that may request only the text of its list: the answer's value is then an empty list. */
export interface MayWantSerialized {
  readonly [serialized]?: true | undefined
}

/** A value that may have a serialized list. */
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

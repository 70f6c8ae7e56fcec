// Lists as PostgreSQL writes arrays: understood by every client without knowing types.

/** A list of texts, numbers or truths. */
export const arrayOf = (items: readonly (string | number | boolean)[]): string =>
  `{${items.map((item) => (typeof item === 'string' ? quoted(item) : String(item))).join(',')}}`

/**
 * A list of JSON texts. These have no character that JSON would write in another way than an array does, and the host
 * quotes them much faster than a pattern, which it cannot be asked for in tens of megabytes of quotes.
 */
export const arrayOfJson = (texts: readonly string[]): string =>
  `{${texts.map((text) => JSON.stringify(text)).join(',')}}`

const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`

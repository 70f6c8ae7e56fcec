// Lists in PostgreSQL's array syntax: every client passes them as text, without knowing their types.

/** A list of strings, numbers or booleans. */
export const arrayOf = (items: readonly (string | number | boolean)[]): string =>
  `{${items.map((item) => (typeof item === 'string' ? quoted(item) : String(item))).join(',')}}`

/**
 * A list of JSON texts. JSON and arrays escape all their characters alike, and the host's JSON quotes strings much
 * faster than a regular expression, which fails on tens of megabytes of quotes.
 */
export const arrayOfJson = (texts: readonly string[]): string =>
  `{${texts.map((text) => JSON.stringify(text)).join(',')}}`

const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`

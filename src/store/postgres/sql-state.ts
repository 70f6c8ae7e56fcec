/** PostgreSQL's code of an error, or the operating system's; empty if there is none. */
export const sqlState = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** Whether the code is the server's: the five-letter codes of the operating system, such as EPIPE, have no digit. */
export const isAnswer = (error: unknown): boolean => /^(?=.*[0-9])[0-9A-Z]{5}$/.test(sqlState(error))

/** PostgreSQL's code of an error, or the system's, or nothing. */
export const sqlState = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** Whether the server said it, in a code of its own: the system's names of five letters, such as EPIPE, have no digit. */
export const isAnswer = (error: unknown): boolean => /^(?=.*[0-9])[0-9A-Z]{5}$/.test(sqlState(error))

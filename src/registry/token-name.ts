/** Whether a publishing token can have this name: 1 to 64 letters, digits, `-`, `_` and `.`. */
export const isTokenName = (name: string): boolean => /^[A-Za-z0-9._-]{1,64}$/.test(name)

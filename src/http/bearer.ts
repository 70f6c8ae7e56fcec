import type { Exchange } from './exchange.ts'

/** The token of `Authorization: Bearer`; the scheme is case-insensitive. */
export const bearerOf = (request: Pick<Exchange, 'header'>): string | undefined => {
  const given = request.header('authorization')
  return given === undefined ? undefined : /^bearer +(\S+) *$/i.exec(given)?.[1]
}

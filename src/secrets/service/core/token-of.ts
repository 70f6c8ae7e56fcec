import type { Exchange, Words } from '../../../http/index.ts'

/** The token of a request: its own header first, then the first `Authorization` that begins with `Bearer `. */
export const tokenOf = (exchange: Pick<Exchange, 'header'>, words: Words): string | undefined => {
  const own = words.read(exchange, 'Token')
  if (own !== undefined && own !== '') return own
  const bearer = exchange
    .header('authorization')
    ?.split(', ')
    .find((value) => value.startsWith('Bearer '))
  return bearer?.slice('Bearer '.length).trim() || undefined
}

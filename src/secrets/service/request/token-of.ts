import type { Words } from '../../../http/index.ts'

/** The token of a request: its own header first, then the first `Authorization` that begins with `Bearer `. */
export const tokenOf = (headers: Headers, words: Words): string | undefined => {
  const own = words.read(headers, 'Token')
  if (own !== undefined && own !== '') return own
  const bearer = (headers.get('authorization') ?? '').split(', ').find((value) => value.startsWith('Bearer '))
  return bearer?.slice('Bearer '.length).trim() || undefined
}

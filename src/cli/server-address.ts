import { UserError } from './user-error.ts'

/** Where the address of a server may be given, in order of precedence, with what is given there. */
export type AddressSources = Readonly<Record<string, string | undefined>>

/** What is usual for one kind of server. */
export interface UsualAddress {
  readonly port: number
  /** Matches the path of its API at the end of an address: the client adds it itself, and users write it as well. */
  readonly api: RegExp
}

/**
 * The address of a server as requests begin with it, from the first source that has one. A mistake names the source,
 * and the URL that was probably meant.
 */
export function serverAddress(sources: AddressSources, usual: UsualAddress): string {
  const found = Object.entries(sources).find(([, value]) => value !== undefined)
  const example = `http://127.0.0.1:${usual.port}`
  if (found === undefined) return example
  const [source, given = ''] = found
  if (/^(?:[a-z]+:\/\/)?[^/]*@/i.test(given))
    throw new UserError(`${source}: the URL contains a user name or password: leave it out`, 2)
  const address = given.replace(/\/+$/, '').replace(usual.api, '').replace(/\/+$/, '')
  if (/^https?:\/\/[^/]/.test(address) && URL.canParse(address)) return address
  const [, host, port = `:${usual.port}`] = /^([\w-]+(?:\.[\w-]+)*)(:\d+)?$/.exec(address) ?? []
  const meant = host === undefined ? example : `http://${host}${port}`
  throw new UserError(
    `${source}: "${given}" is not a valid URL: write it as ${URL.canParse(meant) ? meant : example}`,
    2,
  )
}

import { UserError } from './user-error.ts'

/** The sources of a server's address, in order of precedence, with their values. */
export type AddressSources = Readonly<Record<string, string | undefined>>

/** The defaults for one kind of server. */
export interface UsualAddress {
  readonly port: number
  /** Matches the API's path at the end of an address: the client appends it, and users often include it. */
  readonly api: RegExp
}

/**
 * The base URL of a server, from the first source that has one. An error names the source, and suggests the probable
 * URL.
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

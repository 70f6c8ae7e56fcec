import { version } from '../../version.ts'
import type { SealWord } from './services/secrets.ts'

/** The output of `plinth serve` once every listener is ready; services that `--only` excludes are absent. */
export interface Ready {
  readonly ready: true
  readonly secrets: {
    readonly url: string
    readonly rootToken: string | null
    readonly unsealKeys: readonly string[]
    readonly seal: SealWord
  }
  readonly scheduler: { readonly url: string; readonly managementToken: string | null }
  readonly gateway: { readonly url: string }
  readonly catalog: { readonly url: string; readonly tokens: Readonly<Record<string, string>> }
  readonly registry: {
    readonly url: string
    readonly modulesUrl: string
    readonly modulesV2Url: string
    /** May publish modules while the server runs; null in production, which generates none. */
    readonly token: string | null
  }
  readonly console: { readonly url: string }
}

/** The same if some services may be absent. */
export type ReadyParts = Pick<Ready, 'ready'> & Partial<Ready>

/** One line of JSON, with nothing before it. */
export const readyLine = (ready: ReadyParts): string => `${JSON.stringify(ready)}\n`

/** The same for people, with commands to try. */
export function readyBanner(
  ready: ReadyParts,
  { notes, production }: { readonly notes: readonly string[]; readonly production: boolean },
): string {
  const { secrets, scheduler, gateway, catalog, registry, console } = ready
  const rows: (readonly [string, string, string])[] = []
  if (secrets)
    rows.push([
      'secrets',
      secrets.url,
      secrets.rootToken === null ? secrets.seal : `root token ${secrets.rootToken}`,
    ])
  if (scheduler)
    rows.push([
      'scheduler',
      scheduler.url,
      scheduler.managementToken === null ? '' : `management token ${scheduler.managementToken}`,
    ])
  if (gateway) rows.push(['gateway', `${gateway.url}/health`, ''])
  if (catalog)
    rows.push([
      'catalog',
      catalog.url,
      Object.entries(catalog.tokens)
        .map(([name, token]) => `${name}: ${token}`)
        .join(', '),
    ])
  if (registry)
    rows.push([
      'registry',
      registry.modulesUrl,
      registry.token === null ? '' : `token to publish ${registry.token}`,
    ])
  if (console) rows.push(['console', console.url, 'all of them in a browser'])
  const width = Math.max(...rows.map(([, url]) => url.length))
  const lines = rows.map(([name, url, more]) =>
    `  ${name.padEnd(10)} ${url.padEnd(width)}  ${more}`.trimEnd(),
  )
  const client =
    secrets === undefined || secrets.rootToken === null
      ? ''
      : `\n  For plinth kv, read, write, list and delete:\n  export SECRETS_ADDR=${secrets.url} SECRETS_TOKEN=${quoted(secrets.rootToken)}\n`
  const after = notes.length > 0 ? `\n${notes.map((note) => `  ${note}`).join('\n')}\n` : ''
  return `Plinth ${version}, ${production ? 'production' : 'development mode (not for production)'}.\n\n${lines.join('\n')}\n${after}${client}\nStop with Ctrl-C.\n`
}

/** Quoted for a shell. */
const quoted = (text: string): string =>
  /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

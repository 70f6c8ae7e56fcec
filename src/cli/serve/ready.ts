import { version } from '../../version.ts'

/** What `plinth serve` says once every listener answers; all keys are always present. */
export interface Ready {
  readonly ready: true
  readonly secrets: {
    readonly url: string
    readonly rootToken: string | null
    readonly unsealKeys: readonly string[]
  }
  readonly scheduler: { readonly url: string; readonly managementToken: string | null }
  readonly gateway: { readonly url: string }
  readonly catalog: { readonly url: string; readonly tokens: Readonly<Record<string, string>> }
  readonly registry: { readonly url: string; readonly modulesUrl: string; readonly modulesV2Url: string }
}

/** One line of JSON, and nothing before it. */
export const readyLine = (ready: Ready): string => `${JSON.stringify(ready)}\n`

/** The same for people, with something to try. */
export function readyBanner(ready: Ready, notes: readonly string[]): string {
  const { secrets, scheduler, gateway, catalog, registry } = ready
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'secrets',
      secrets.url,
      secrets.rootToken === null ? 'uninitialised' : `root token ${secrets.rootToken}`,
    ],
    [
      'scheduler',
      scheduler.url,
      scheduler.managementToken === null ? '' : `management token ${scheduler.managementToken}`,
    ],
    ['gateway', `${gateway.url}/health`, ''],
    [
      'catalog',
      catalog.url,
      Object.entries(catalog.tokens)
        .map(([name, token]) => `${name}: ${token}`)
        .join(', '),
    ],
    ['registry', registry.modulesUrl, ''],
  ]
  const width = Math.max(...rows.map(([, url]) => url.length))
  const lines = rows.map(([name, url, more]) =>
    `  ${name.padEnd(10)} ${url.padEnd(width)}  ${more}`.trimEnd(),
  )
  const { rootToken } = secrets
  const client =
    rootToken === null
      ? ''
      : `\n  For plinth kv, read, write, list and delete:\n  export SECRETS_ADDR=${secrets.url} SECRETS_TOKEN=${quoted(rootToken)}\n`
  const after = notes.length > 0 ? `\n${notes.map((note) => `  ${note}`).join('\n')}\n` : ''
  return `Plinth ${version}, development mode (not for production).\n\n${lines.join('\n')}\n${after}${client}\nStop with Ctrl-C.\n`
}

/** As a shell takes it. */
const quoted = (text: string): string =>
  /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

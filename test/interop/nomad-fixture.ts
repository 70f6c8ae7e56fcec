import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

/** What is used here of the client. */
export interface NomadClient {
  readonly getVersion: () => Promise<string>
  readonly getClusterInfo: () => Promise<unknown>
  readonly jobs: {
    readonly create: (job: object) => Promise<unknown>
    readonly list: (options?: object) => Promise<unknown>
    readonly get: (id: string) => Promise<unknown>
    readonly summary: (id: string) => Promise<unknown>
    readonly versions: (id: string) => Promise<unknown>
    readonly allocations: (id: string) => Promise<unknown>
    readonly evaluations: (id: string) => Promise<unknown>
    readonly stop: (id: string, purge?: boolean) => Promise<unknown>
    readonly update: (job: object) => Promise<unknown>
    readonly plan: (job: object) => Promise<unknown>
    readonly scale: (id: string, group: string, count: number) => Promise<unknown>
    readonly revert: (id: string, version: number, prior?: number) => Promise<unknown>
    readonly stable: (id: string, version: number) => Promise<unknown>
    readonly deployments: (id: string) => Promise<unknown>
    readonly dispatch: (id: string, payload?: unknown, meta?: object) => Promise<unknown>
    readonly periodicForce: (id: string) => Promise<unknown>
  }
  readonly nodes: {
    readonly list: (options?: object) => Promise<unknown>
    readonly get: (id: string) => Promise<unknown>
    readonly eligibility: (id: string, eligibility: string) => Promise<unknown>
  }
}

/** The package `nomad-client`, which ships its TypeScript sources only and is bundled for tests. */
export async function nomadClient(): Promise<new (options: object) => NomadClient> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-nomad-'))
  const outfile = join(folder, 'client.cjs')
  await build({
    entryPoints: ['node_modules/nomad-client/src/modules/client.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  })
  const bundled: { readonly NomadClient: new (options: object) => NomadClient } = createRequire(
    import.meta.url,
  )(outfile)
  rmSync(folder, { recursive: true })
  return bundled.NomadClient
}

import { formatFlag } from '../client/flags.ts'
import { membersOf } from '../client/members.ts'
import { printData, printTable } from '../client/print.ts'
import { command } from '../command/declaration.ts'
import type { Administered } from './administered.ts'

/** Whose quota the commands are about. */
interface Quotas<Noun extends 'boxes' | 'modules'> extends Administered {
  readonly noun: Noun
  readonly path: 'owners' | 'namespaces'
  readonly word: 'OWNER' | 'NAMESPACE'
}

/** The commands on what an owner of boxes, or a namespace of modules, may have and keeps. */
export const quotaCommands = <const Noun extends 'boxes' | 'modules'>(quotas: Quotas<Noun>) => ({
  quota: quotaCommand(quotas),
  prune: pruneCommand(quotas),
})

/** The group of the commands, and a name for their examples. */
const groupOf = (noun: 'boxes' | 'modules') =>
  noun === 'boxes'
    ? ({ group: 'box', example: 'admin', about: 'the user or organization' } as const)
    : ({ group: 'module', example: 'acme', about: 'the namespace' } as const)

function quotaCommand<const Noun extends 'boxes' | 'modules'>(quotas: Quotas<Noun>) {
  const { noun, path, word, to, environment, connect } = quotas
  const { group, example, about } = groupOf(noun)
  return command({
    about: `show or change how many ${noun}, versions and bytes an owner may have`,
    description: `An administrator may change all limits; the owner may change keep-versions, the number of versions to
keep of each, the highest ones. The server deletes lower released versions within an hour, but never the latest.`,
    flags: {
      to,
      set: {
        type: 'string',
        value: 'WHAT=N',
        about: `bytes=100GiB, ${noun}=N, versions=N or keep-versions=N; none for the default (repeatable)`,
        multiple: true,
      },
      ...formatFlag,
    },
    words: [{ name: word, about }],
    examples: [
      {
        run: `plinth ${group} quota ${example} --set bytes=100GiB --set keep-versions=20`,
        about: 'limit it, and keep the last 20 versions of each',
      },
    ],
    environment,
    run: async ({ flags: { to, set, format }, words: [owner] }) => {
      const { quotaAmounts } = await import('../quota-amounts.ts')
      const { 'keep-versions': keep, ...most } = quotaAmounts('--set', set, [
        'bytes',
        noun,
        'versions',
        'keep-versions',
      ])
      const ask = await connect(to)
      const parts = [path, owner, 'quota']
      const body =
        set.length === 0
          ? await ask(`read the quota of ${owner}`, 'GET', parts)
          : await ask(`change the quota of ${owner}`, 'PUT', parts, {
              json: { ...most, keep_versions: keep },
            })
      if (printData(format, body)) return
      const [used, may] = [membersOf(body['used']), membersOf(body['quota'])]
      const rows = ['bytes', noun, 'versions'].map((what) => [what, used[what], may[what] ?? 'unlimited'])
      printTable(['', 'Has', 'May have'], [...rows, ['kept of each', '', may['keep_versions'] ?? 'all']])
    },
  })
}

function pruneCommand(quotas: Quotas<'boxes' | 'modules'>) {
  const { noun, path, word, to, environment, connect } = quotas
  const { group, example, about } = groupOf(noun)
  return command({
    about: `delete old versions of the ${noun} of an owner`,
    description: 'Keeps the highest versions of each, and always the latest.',
    flags: {
      to,
      keep: {
        type: 'string',
        value: 'N',
        about: 'how many versions to keep of each (keep-versions of the quota)',
      },
      'dry-run': { type: 'boolean', about: 'only print what would be done' },
      ...formatFlag,
    },
    words: [{ name: word, about }],
    examples: [
      { run: `plinth ${group} prune ${example} --keep 20 --dry-run`, about: 'see what would be deleted' },
    ],
    environment,
    run: async ({ flags: { to, keep, format, 'dry-run': isDryRun }, words: [owner] }) => {
      const { quotaAmounts } = await import('../quota-amounts.ts')
      const { 'keep-versions': keepVersions } =
        keep === undefined ? {} : quotaAmounts('--keep', [`keep-versions=${keep}`], ['keep-versions'])
      const json = { keep_versions: keepVersions, dry_run: isDryRun }
      const ask = await connect(to)
      const body = await ask(`delete old versions of ${owner}`, 'POST', [path, owner, 'prune'], { json })
      if (printData(format, body)) return
      const versions = Array.isArray(body['versions']) ? body['versions'].map(membersOf) : []
      for (const { of, version } of versions)
        process.stdout.write(`${isDryRun ? 'would delete' : 'deleted'} ${String(of)} ${String(version)}\n`)
      const bytes = versions.reduce((sum, version) => sum + Number(version['bytes']), 0)
      process.stdout.write(`${versions.length} versions, ${bytes} bytes\n`)
    },
  })
}

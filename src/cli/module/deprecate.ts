import { formatAddress } from '../../registry/modules/names.ts'
import { UserError } from '../user-error.ts'
import { moduleAddressOf, refusalOf, registryClient, versionPath } from './registry-client.ts'

interface DeprecateFlags {
  readonly to: string | undefined
  readonly 'dry-run': boolean
  readonly reason: string | undefined
  readonly link: string | undefined
  readonly undo: boolean
}

/** `plinth module deprecate NAMESPACE/NAME/PROVIDER VERSION --reason TEXT` */
export async function deprecateCommand(
  { to, 'dry-run': isDryRun, reason, link, undo }: DeprecateFlags,
  [module, version]: readonly [string, string],
): Promise<void> {
  if (undo && (reason !== undefined || link !== undefined))
    throw new UserError('--undo takes neither --reason nor --link', 2)
  if (!undo && reason === undefined)
    throw new UserError('say what to use instead: --reason TEXT, or --undo to remove the mark', 2)
  const address = moduleAddressOf(module)
  const registry = registryClient(to)
  const what = `${formatAddress(address)} ${version}`
  const path = versionPath(address, version)
  const mark = `${path}/deprecation`
  const asked = (): ReturnType<typeof registry.call> => {
    if (isDryRun) return registry.call('GET', path)
    return undo ? registry.call('DELETE', mark) : registry.call('PUT', mark, { json: { reason, link } })
  }
  const answer = await asked()
  if (answer.status !== (isDryRun ? 200 : 204))
    throw refusalOf(answer, `cannot ${undo ? 'reinstate' : 'deprecate'} ${what}`)
  const done = undo ? 'reinstate' : 'deprecate'
  process.stdout.write(`${isDryRun ? `would ${done}` : `${done}d`} ${what}\n`)
}

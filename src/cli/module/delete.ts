import { formatAddress } from '../../registry/modules/names.ts'
import { UserError } from '../user-error.ts'
import { moduleAddressOf, modulePath, refusalOf, registryClient, versionPath } from './registry-client.ts'

/** `plinth module delete NAMESPACE/NAME/PROVIDER VERSION` */
export async function deleteCommand(
  {
    to,
    'dry-run': isDryRun,
    all,
  }: { readonly to: string | undefined; readonly 'dry-run': boolean; readonly all: boolean },
  [module, version]: readonly [string, string?],
): Promise<void> {
  const address = moduleAddressOf(module)
  if (all !== (version === undefined))
    throw new UserError('name the version to delete, or use --all for the whole module, not both', 2)
  const registry = registryClient(to)
  const what = version === undefined ? formatAddress(address) : `${formatAddress(address)} ${version}`
  const path = version === undefined ? modulePath(address) : versionPath(address, version)
  const answer = isDryRun ? await registry.call('GET', path) : await registry.call('DELETE', path)
  // The answer to an earlier attempt may have been lost.
  const isGone = !isDryRun && answer.status === 404 && answer.attempts > 1
  if (answer.status !== (isDryRun ? 200 : 204) && !isGone) throw refusalOf(answer, `cannot delete ${what}`)
  process.stdout.write(`${isDryRun ? 'would delete' : 'deleted'} ${what}\n`)
}

import { formatAddress } from '../../registry/modules/names.ts'
import { moduleAddressOf, refusalOf, registryClient, versionPath } from './registry-client.ts'

/** `plinth module delete NAMESPACE/NAME/PROVIDER VERSION` */
export async function deleteCommand(
  { to, 'dry-run': isDryRun }: { readonly to: string | undefined; readonly 'dry-run': boolean },
  [module, version]: readonly [string, string],
): Promise<void> {
  const address = moduleAddressOf(module)
  const registry = registryClient(to)
  const what = `${formatAddress(address)} ${version}`
  const path = versionPath(address, version)
  const answer = isDryRun ? await registry.call('GET', path) : await registry.call('DELETE', path)
  // The answer to an earlier attempt may have been lost.
  const isGone = !isDryRun && answer.status === 404 && answer.attempts > 1
  if (answer.status !== (isDryRun ? 200 : 204) && !isGone)
    throw refusalOf(answer, `cannot delete ${what} from ${registry.url}`)
  process.stdout.write(`${isDryRun ? 'would delete' : 'deleted'} ${what}\n`)
}

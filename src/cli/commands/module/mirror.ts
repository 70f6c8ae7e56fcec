import { command } from '../../command/declaration.ts'
import { mirrorFlags, registryEnvironment } from './flags.ts'

export const moduleMirror = command({
  about: 'copy modules from another registry',
  description: `Copies the versions that the registry does not have from any server that speaks the module registry
protocol: archives with their bytes, repositories packed anew. Existing versions stay unchanged, and nothing is deleted. An
interrupted run continues when it is started again.`,
  flags: mirrorFlags,
  words: [
    { name: 'SOURCE', about: 'the other registry, such as https://registry.terraform.io' },
    {
      name: 'NAMESPACE[/NAME/PROVIDER]',
      about: 'a namespace, or one module (all that the other registry lists)',
      optional: true,
    },
  ],
  examples: [
    {
      run: 'plinth module mirror $REGISTRY_ADDR acme/vpc/aws --dry-run',
      about: 'see what would be copied',
    },
    {
      run: 'plinth module mirror $REGISTRY_ADDR acme/vpc/aws --verify',
      about: 'compare the archives of both registries',
    },
  ],
  environment: registryEnvironment,
  run: async ({ flags, words }) => (await import('../../module/index.ts')).mirrorCommand(flags, words),
})

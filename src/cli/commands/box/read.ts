import { formatFlag } from '../../client/flags.ts'
import { command } from '../../command/declaration.ts'
import { addressFlag } from './administration.ts'
import { catalogEnvironment } from './flags.ts'

const flags = { ...addressFlag, ...formatFlag } as const
const environment = {
  ...catalogEnvironment,
  CATALOG_TOKEN: 'a token with the right to read private boxes',
} as const

export const boxList = command({
  about: 'list boxes with their current versions',
  flags: { ...flags, search: { type: 'string', value: 'TEXT', about: 'only released boxes with this text' } },
  words: [{ name: 'OWNER', about: 'only the boxes of this user or organization', optional: true }],
  examples: [{ run: 'plinth box list acme', about: 'also those without a released version' }],
  environment,
  run: async ({ flags, words }) => (await import('../../box/index.ts')).listCommand(flags, words),
})

export const boxShow = command({
  about: 'show the versions and images of a box',
  flags,
  words: [{ name: 'USER/NAME', about: 'the box' }],
  examples: [{ run: 'plinth box show acme/base', about: 'what is released, and for which providers' }],
  environment,
  run: async ({ flags, words }) => (await import('../../box/index.ts')).showCommand(flags, words),
})

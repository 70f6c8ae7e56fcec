import { command } from '../../command/declaration.ts'
import { UserError } from '../../user-error.ts'
import { addressFlag, administrate } from './administration.ts'
import { catalogEnvironment } from './flags.ts'

export const boxDelete = command({
  about: 'delete a box, a version of it, or an image of a version',
  description: 'Deletes a box with its versions, a version with its images, or one image.',
  flags: { all: { type: 'boolean', about: 'delete the box with all its versions' }, ...addressFlag },
  words: [
    { name: 'USER/NAME', about: 'the box' },
    { name: 'VERSION', about: 'its version, such as 1.2.0', optional: true },
    { name: 'PROVIDER', about: 'only its image for this provider', optional: true },
    { name: 'ARCHITECTURE', about: 'the architecture of the image (the default one)', optional: true },
  ],
  examples: [
    {
      run: 'plinth box push acme/gone 0.1.0 base.box --provider virtualbox && plinth box delete acme/gone 0.1.0',
      about: 'delete one version',
    },
    { run: 'plinth box delete acme/gone --all', about: 'delete the box' },
  ],
  environment: catalogEnvironment,
  run: async ({ flags: { to, all }, words: [tag, version, provider, architecture] }) => {
    const { oneBox } = await import('../../box/index.ts')
    const { user, name } = oneBox(tag)
    if (all !== (version === undefined))
      throw new UserError('name the version to delete, or use --all for the whole box, not both', 2)
    const path = [
      ...['box', user, name],
      ...(version === undefined ? [] : ['version', version]),
      ...(provider === undefined ? [] : ['provider', provider]),
      ...(architecture === undefined ? [] : [architecture]),
    ]
    const what = [tag, version, provider, architecture].filter((each) => each !== undefined).join(' ')
    await (await administrate(to, 'call'))(`delete ${what}`, 'DELETE', path)
    process.stdout.write(`deleted ${what}\n`)
  },
})

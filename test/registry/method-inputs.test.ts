import { expect, it } from 'vitest'
import { createRegistry } from '../../src/registry/index.ts'

const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
const source = 'https://example.com/vpc.zip'
/** As programs without types give it. */
const untyped = (value: unknown) => value as never

it('says what a method of a registry does not take, before anything is done', async () => {
  const registry = createRegistry()
  const cases: readonly (readonly [Promise<unknown>, string])[] = [
    [registry.publishModule(untyped(undefined)), 'publishModule: input: expected object, received undefined'],
    [
      registry.publishModule({ ...vpc, namespace: untyped(5) }),
      'publishModule: input.namespace: expected string',
    ],
    [
      registry.publishModule(untyped({ ...vpc, descripton: 'x' })),
      'publishModule: input.descripton: there is no such field; did you mean description?',
    ],
    [
      registry.publishVersion(untyped('acme/vpc/aws'), { version: '1.0.0', source }),
      'publishVersion: address: expected',
    ],
    [
      registry.publishVersion(vpc, { version: untyped(1), source }),
      'publishVersion: input.version: expected string',
    ],
    [
      registry.publishVersion(vpc, untyped({ version: '1.0.0', sorce: source })),
      'publishVersion: input.sorce: there is no such field; did you mean source?',
    ],
    [registry.list(untyped({ limit: '5' })), 'list: query.limit: expected number'],
    [
      registry.list({}, untyped({ namespace: ['acme'] })),
      'list: reader.namespace: there is no such field; did you mean namespaces?',
    ],
    [registry.search(untyped(undefined)), 'search: text: expected string, received undefined'],
    [registry.load(untyped({}), untyped({ dryrun: true })), 'load: options.dryrun: there is no such field'],
  ]
  for (const [made, message] of cases) await expect(made).rejects.toThrow(message)
  for (const [made] of cases) await expect(made).rejects.toThrow(TypeError)
  expect(await registry.list()).toEqual({ rows: [], total: 0 })
  await registry.close()
})

it('takes what a list says of a module, with something changed', async () => {
  const registry = createRegistry()
  await registry.publishModule(vpc)
  await registry.publishVersion(vpc, { version: '1.0.0', source })
  const [row] = (await registry.list()).rows
  if (row === undefined) throw new Error('nothing is listed')
  await registry.publishModule({ ...row, description: 'A private network' })
  await registry.publishVersion(row, { version: '1.1.0', source })
  expect((await registry.list()).rows).toMatchObject([{ version: '1.1.0', description: 'A private network' }])
  await registry.close()
})

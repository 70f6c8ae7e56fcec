import { accepted, counting, madeOnce, type Row } from '../row.ts'
import type { Tree } from '../tree.ts'

const data = { user: 'ada', password: 'correct horse battery staple', url: 'postgres://db.internal:5432/app' }
const pathAt = (n: number) => `app/service-${n % 1000}/db`
const service = madeOnce(async ({ load }: Tree) => {
  const { service } = await (await load('./secrets')).devSecrets({ rootToken: 'root' })
  for (let n = 0; n < 1000; n += 1) accepted(await service.kv().write(pathAt(n), data))
  return service
})
const rules = Array.from({ length: 999 }, (_, n) => {
  const path = [`secret/data/team-${n}/app`, `secret/data/team-${n}/*`, `secret/+/team-${n}/+/config`][n % 3]
  return `path "${path}" { capabilities = ["read", "list"] }`
})
const asked = Array.from({ length: 999 }, (_, n) =>
  ['secret/data/team-0/app', `secret/data/team-${n}/a/b`, `secret/x/team-${n}/y/config`, `other/${n}`].at(
    n % 4,
  ),
)

export const secrets: readonly Row[] = [
  {
    name: 'secrets: kv2 read',
    clock: 'cpu',
    operations: 2000,
    prepare: async (tree) => {
      const kv = (await service(tree)).kv()
      return counting(2000, (n) => kv.read(pathAt(n)))
    },
  },
  {
    name: 'secrets: kv2 write',
    clock: 'cpu',
    operations: 500,
    prepare: async (tree) => {
      const kv = (await service(tree)).kv()
      return counting(500, (n) => kv.write(pathAt(n), data))
    },
  },
  {
    name: 'secrets: token creation',
    clock: 'cpu',
    operations: 200,
    prepare: async (tree) => {
      const { tokens } = await service(tree)
      return counting(200, async () =>
        accepted(await tokens.create({ policies: ['default'], ttlSeconds: 600 })),
      )
    },
  },
  {
    name: 'secrets: decision over 999 policy rules',
    clock: 'cpu',
    operations: 100 * asked.length,
    prepare: async ({ load }) => {
      const { compileAcl, decide, parsePolicy } = await load('./acl')
      const acl = compileAcl([{ policy: accepted(parsePolicy('bench', rules.join('\n'))) }])
      return () => {
        let allowed = 0
        for (let time = 0; time < 100; time += 1)
          for (const path of asked)
            if (decide(acl, { path: path ?? '', operation: 'read' }).allowed) allowed += 1
        return allowed
      }
    },
  },
]

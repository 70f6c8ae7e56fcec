// How fast a policy decision is among 1,000 rules, and how fast it is to make policies ready.
//   node --import ./scripts/ts-loader.mjs bench/acl.ts [rules]
import { compileAcl, decide, parsePolicy } from '../src/secrets/acl/index.ts'
import { measure, printTable } from './measure.ts'

const count = Number(process.argv[2] ?? 1000)
const third = Math.floor(count / 3)
const lines = Array.from({ length: count }, (_, index) => {
  const pattern =
    index < third
      ? `secret/data/team-${index}/app`
      : index < 2 * third
        ? `secret/data/team-${index}/*`
        : `secret/+/team-${index}/+/config`
  return `path "${pattern}" { capabilities = ["read", "list"] }`
})
const text = lines.join('\n')
const read = parsePolicy('bench', text)
if (!read.ok) throw new Error(read.refusal.message)
const policy = read.value
const acl = compileAcl([{ policy }])

const asking = (name: string, pathOf: (index: number) => string) => {
  const paths = Array.from({ length: 1000 }, (_, index) => pathOf(index % third))
  return {
    name,
    operations: 100_000,
    run: () => {
      let allowed = 0
      for (let round = 0; round < 100; round += 1)
        for (const path of paths) if (decide(acl, { path, operation: 'read' }).allowed) allowed += 1
      return allowed
    },
  }
}
const measured = await measure([
  asking('exact rule', (index) => `secret/data/team-${index}/app`),
  asking('longest prefix', (index) => `secret/data/team-${third + index}/a/b/c`),
  asking('segments', (index) => `secret/data/team-${2 * third + index}/x/config`),
  asking('no rule', (index) => `other/data/team-${index}/x`),
  { name: `read ${count} rules`, operations: 1, run: () => parsePolicy('bench', text) },
  { name: `compile ${count} rules`, operations: 1, run: () => compileAcl([{ policy }]) },
])
printTable([
  ['ACL', 'time'],
  ...measured.map(({ name, nanoseconds }) => [name, `${(nanoseconds / 1000).toFixed(2)} µs`]),
])

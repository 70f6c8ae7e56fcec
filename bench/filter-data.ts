// The data and expressions of every filter benchmark: 10,000 jobs, the same in every run.
import { seededRandom } from '../src/kernel/seeded-random.ts'

export interface Job {
  readonly ID: string
  readonly Name: string
  readonly Status: string
  readonly Version: number
  readonly Stable: boolean
  readonly Priority: number
  readonly Tags: readonly string[]
  readonly Datacenters: readonly string[]
  readonly Meta: Readonly<Record<string, string>>
  readonly Resources: { readonly CPU: number; readonly MemoryMB: number }
}

export function jobs(count: number): Job[] {
  const random = seededRandom(42)
  const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0]
  const some = (from: readonly string[], chance: number) => from.filter(() => random() < chance)
  return Array.from({ length: count }, (_, index) => ({
    ID: `job-${index}`,
    Name: `svc-${index}-${pick(['api', 'web', 'db', 'cache'])}`,
    Status: pick(['running', 'pending', 'dead', 'complete']),
    Version: Math.floor(random() * 8),
    Stable: random() < 0.5,
    Priority: Math.floor(random() * 100),
    Tags: some(['web', 'gpu', 'edge', 'canary', 'blue', 'green'], 0.25),
    Datacenters: some(['dc1', 'dc2', 'dc3', 'dc8'], 0.3),
    Meta: {
      team: pick(['infra', 'data', 'web', 'ml', 'infra']),
      'region.zone': pick(['eu-1', 'eu-2', 'us-1', 'ap-1', 'us-2']),
      ...(random() < 0.6 ? { owner: pick(['ada', 'bo', '']) } : {}),
    },
    Resources: { CPU: pick([500, 1000, 2000, 4000]), MemoryMB: pick([256, 512, 1024]) },
  }))
}

/** E1–E6: what the goals are stated for. */
export const expressions = {
  E1: 'Status == "running"',
  E2: 'Version == 3 and Stable == true',
  E3: '"web" in Tags or Datacenters contains "dc2"',
  E4: 'Meta.team == "infra" and Meta["region.zone"] != "eu-1"',
  E5: 'Name matches "^svc-[0-9]+-(api|web)$"',
  E6: '(Status == "running" or Status == "pending") and not (Meta.owner is empty) and ("gpu" in Tags or Resources.CPU == 4000) and Name matches "api" and Datacenters not contains "dc8"',
} as const

export type ExpressionName = keyof typeof expressions

const nameFive = /^svc-[0-9]+-(api|web)$/
const nameSix = /api/

/** What a person would write by hand for the same rows. */
export const byHand: Readonly<Record<ExpressionName, (job: Job) => boolean>> = {
  E1: (job) => job.Status === 'running',
  E2: (job) => job.Version === 3 && job.Stable === true,
  E3: (job) => job.Tags.includes('web') || job.Datacenters.includes('dc2'),
  E4: (job) => job.Meta['team'] === 'infra' && job.Meta['region.zone'] !== 'eu-1',
  E5: (job) => nameFive.test(job.Name),
  E6: (job) =>
    (job.Status === 'running' || job.Status === 'pending') &&
    !(job.Meta['owner'] === undefined || job.Meta['owner'] === '') &&
    (job.Tags.includes('gpu') || job.Resources.CPU === 4000) &&
    nameSix.test(job.Name) &&
    !job.Datacenters.includes('dc8'),
}

/** Further filters that are alive in the same process, as in any real one: they keep the engine's caches honest. */
export const alsoAlive = [
  'Priority == 50',
  'ID == "job-7"',
  'Meta.owner == "ada"',
  'Resources.MemoryMB == 512 or Resources.CPU == 500',
  'Tags is empty',
  'any Tags as t { t == "edge" }',
  'Meta["region.zone"] matches "^eu"',
  'Name contains "db" and Stable != true',
] as const

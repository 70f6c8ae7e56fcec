// Thirteen expressions, and what a person would write by hand for the same rows.

import { seededRandom } from '../src/kernel/seeded-random.ts'
import { type Job, jobs } from './filter-data.ts'

export interface BenchRow extends Job {
  readonly Text: string
  readonly Groups: readonly { readonly Name: string; readonly Count: number }[]
}

/** The jobs, with groups and a longer text. */
export function benchRows(count: number): BenchRow[] {
  const random = seededRandom(7)
  return jobs(count).map((job, at) => ({
    ...job,
    Text: `${'lorem ipsum dolor sit amet '.repeat(4)}${at % 5 === 0 ? 'needle in a haystack' : 'nothing here'}`,
    Groups: Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => ({
      Name: `group-${index}`,
      Count: Math.floor(random() * 6),
    })),
  }))
}

export const cases: Readonly<Record<string, readonly [string, (row: BenchRow) => boolean]>> = {
  equal: ['Status == "running"', (row) => row.Status === 'running'],
  two: ['Version == 3 and Stable', (row) => row.Version === 3 && row.Stable],
  order: ['Priority between 20 and 60', (row) => row.Priority >= 20 && row.Priority <= 60],
  lists: [
    '"web" in Tags or Datacenters contains "dc2"',
    (row) => row.Tags.includes('web') || row.Datacenters.includes('dc2'),
  ],
  maps: [
    'Meta.team == "infra" and Meta["region.zone"] != "eu-1"',
    (row) => row.Meta['team'] === 'infra' && row.Meta['region.zone'] !== 'eu-1',
  ],
  pattern: [
    'Name matches "^svc-[0-9]+-(api|web)$"',
    (() => {
      const pattern = /^svc-[0-9]+-(api|web)$/
      return (row) => pattern.test(row.Name)
    })(),
  ],
  path: ['Groups.Count > 3', (row) => row.Groups.some((group) => group.Count > 3)],
  'path ==': ['Groups.Count == 5', (row) => row.Groups.some((group) => group.Count === 5)],
  any: [
    'any Groups as g { g.Count > 2 and g.Name == "group-1" }',
    (row) => row.Groups.some((group) => group.Count > 2 && group.Name === 'group-1'),
  ],
  case: ['Status == "RUNNING" ignoring case', (row) => row.Status.toLowerCase() === 'running'],
  needle: ['Text contains "needle in a haystack"', (row) => row.Text.includes('needle in a haystack')],
  start: [
    'Name starts with "svc-1" and count Tags > 1',
    (row) => row.Name.startsWith('svc-1') && row.Tags.length > 1,
  ],
  six: [
    '(Status == "running" or Status == "pending") and not (Meta.owner is empty) and ("gpu" in Tags or Resources.CPU == 4000) and Name matches "api" and Datacenters not contains "dc8"',
    (() => {
      const api = /api/
      return (row) =>
        (row.Status === 'running' || row.Status === 'pending') &&
        !(row.Meta['owner'] === undefined || row.Meta['owner'] === '') &&
        (row.Tags.includes('gpu') || row.Resources.CPU === 4000) &&
        api.test(row.Name) &&
        !row.Datacenters.includes('dc8')
    })(),
  ],
}

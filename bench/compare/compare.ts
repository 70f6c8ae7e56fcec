// Compares the working tree with an older commit, row by row: npm run bench:compare [-- BASE] [--only=filter,store]
// [--bound=10]. Exit code 1 if a row is slower than BASE by more than its bound in three measurements in a row.
import { parseArgs } from 'node:util'
import { median, printTable, time } from '../measure.ts'
import { commitOf, Mistake, withBase } from './base.ts'
import { type Group, groups, isGroup } from './groups.ts'
import { type Measurement, measureGroup, type Unknown } from './measuring.ts'
import { sizeIn, sizes } from './sizes.ts'

const measurements = 3

/** What a row is after all its measurements. */
interface Result {
  readonly name: string
  readonly ratios: readonly number[]
  readonly now: string
  readonly base: string
  readonly isSlower: boolean
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      // npm takes the first `--` only.
      args: process.argv.slice(2).filter((argument) => argument !== '--'),
      options: { only: { type: 'string' }, bound: { type: 'string', default: '10' } },
      allowPositionals: true,
    })
    const [base, ...others] = positionals
    if (others.length > 0) throw new Mistake(`one BASE is compared, not ${positionals.join(' and ')}`)
    const names = [...Object.keys(groups), 'size']
    const only = values.only?.split(',') ?? names
    const unknown = only.filter((name) => !names.includes(name))
    if (unknown.length > 0)
      throw new Mistake(`--only has no ${unknown.join(', ')}; the groups are ${names.join(', ')}`)
    const bound = Number(values.bound)
    if (!(bound > 0)) throw new Mistake(`--bound is a percentage above 0, not ${values.bound}`)
    return { base, only, bound: 1 + bound / 100 }
  } catch (error) {
    // Its second sentence is about arguments that begin with a dash.
    throw error instanceof TypeError ? new Mistake(error.message.split('. ')[0]) : error
  }
}

async function compareSizes(base: string, bound: number, unknown: Unknown): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const { name, of } of sizes) {
    const [now, then] = [await sizeIn(process.cwd(), of), await sizeIn(base, of)]
    if (typeof now === 'string') throw new Error(`${name}: ${now}`)
    if (typeof then === 'string') unknown.set(name, then)
    else
      results.push({
        name,
        ratios: [now / then],
        now: `${(now / 1000).toFixed(1)} kB`,
        base: `${(then / 1000).toFixed(1)} kB`,
        isSlower: now / then > bound,
      })
  }
  return results
}

/** Measures a group; what is beyond the bound is measured again, up to three times. */
async function compareGroup(
  group: Group,
  base: string,
  bound: number,
  unknown: Unknown,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const all = new Map<string, Measurement[]>()
  const isOver = ({ ratios }: Measurement) => median(ratios) > bound
  const suspects = new Set<string>(groups[group].map(({ name }) => name))
  for (let turn = 1; turn <= measurements && suspects.size > 0; turn += 1) {
    console.error(
      turn === 1
        ? `${group}: measuring`
        : `${group}: measuring ${suspects.size} again (${turn} of ${measurements})`,
    )
    const isAsked = (name: string) => suspects.has(name)
    for (const row of await measureGroup(group, { now: process.cwd(), base }, unknown, isAsked, signal)) {
      all.set(row.name, [...(all.get(row.name) ?? []), row])
      if (!isOver(row)) suspects.delete(row.name)
    }
    for (const name of unknown.keys()) suspects.delete(name)
  }
  return [...all].map(([name, found]) => ({
    name,
    ratios: found.flatMap(({ ratios }) => ratios),
    now: time(median(found.map(({ now }) => now))),
    base: time(median(found.map(({ base }) => base))),
    isSlower: suspects.has(name),
  }))
}

function printResults(results: readonly Result[], unknown: Unknown): void {
  const middle = ({ ratios }: Result) => median(ratios)
  printTable([
    ['', 'new/old', 'spread', 'new', 'old', ''],
    ...results
      .toSorted((a, b) => middle(b) - middle(a))
      .map((row) => [
        row.name,
        middle(row).toFixed(2),
        row.ratios.length === 1
          ? ''
          : `${Math.min(...row.ratios).toFixed(2)}–${Math.max(...row.ratios).toFixed(2)}`,
        row.now,
        row.base,
        row.isSlower ? 'SLOWER' : '',
      ]),
  ])
  for (const [name, problem] of unknown) console.log(`BASE cannot run ${name}: ${problem}`)
}

const leaving = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => leaving.abort(new Mistake('interrupted')))

try {
  const { base: named, only, bound } = readArguments()
  const commit = await commitOf(named)
  console.error(`building ${commit.slice(0, 8)}`)
  const unknown: Unknown = new Map()
  const results = await withBase(commit, leaving.signal, async (base) => {
    const found: Result[] = []
    for (const name of only)
      found.push(
        ...(isGroup(name)
          ? await compareGroup(name, base, bound, unknown, leaving.signal)
          : await compareSizes(base, bound, unknown)),
      )
    return found
  })
  printResults(results, unknown)
  const slower = results.filter(({ isSlower }) => isSlower)
  if (slower.length > 0)
    console.log(
      `\n${slower.length} of ${results.length} rows are worse than ${commit.slice(0, 8)} beyond the bound`,
    )
  process.exitCode = slower.length > 0 ? 1 : 0
} catch (error) {
  const reason: unknown = leaving.signal.aborted ? leaving.signal.reason : error
  if (!(reason instanceof Mistake)) throw reason
  console.error(`bench:compare: ${reason.message}`)
  process.exitCode = leaving.signal.aborted ? 130 : 2
}

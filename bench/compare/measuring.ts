import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { median } from '../measure.ts'
import { type Group, groups } from './groups.ts'

/** The folders that are compared. */
export interface Sides {
  readonly now: string
  readonly base: string
}

/** One measurement of a row: medians over pairs of processes. */
export interface Measurement {
  readonly name: string
  /** The time of now over that of BASE, of each pair of processes. */
  readonly ratios: readonly number[]
  /** Nanoseconds of an operation. */
  readonly now: number
  readonly base: number
}

/** Rows of a group that BASE cannot run, by their names, with the reason. */
export type Unknown = Map<string, string>

const pairs = 3
/** Runs before those that count, and those. A run that starts a process has nothing to warm. */
const paceOf = (group: Group) => (group === 'start' ? { warmUps: 0, rounds: 3 } : { warmUps: 3, rounds: 7 })

/**
 * Measures rows of a group in pairs of processes, one in each folder. Within a pair the two run each row in turns, and
 * all rows once before any runs again, so that a change of the machine's speed affects both and every row runs among
 * the others.
 */
export async function measureGroup(
  group: Group,
  sides: Sides,
  unknown: Unknown,
  isAsked: (name: string) => boolean,
  signal: AbortSignal,
): Promise<readonly Measurement[]> {
  const rows = groups[group]
  const { warmUps, rounds } = paceOf(group)
  const found = rows.map(() => ({ ratios: [] as number[], now: [] as number[], base: [] as number[] }))
  for (let pair = 0; pair < pairs; pair += 1) {
    const [now, base] = await Promise.all([
      openSide(sides.now, group, signal),
      openSide(sides.base, group, signal),
    ])
    try {
      for (const [at, { name }] of rows.entries()) {
        if (now.problems[at] !== '') throw new Error(`${name}: ${now.problems[at]}`)
        if (base.problems[at] !== '') unknown.set(name, base.problems[at] ?? '')
      }
      const times = rows.map(() => ({ now: [] as number[], base: [] as number[] }))
      for (let round = -warmUps; round < rounds; round += 1)
        for (const [at, { name }] of rows.entries()) {
          if (unknown.has(name) || !isAsked(name)) continue
          // What ran last has the warmer caches.
          const isNowFirst = (pair + round) % 2 === 0
          const first = await (isNowFirst ? now : base).run(at)
          const second = await (isNowFirst ? base : now).run(at)
          if (round < 0) continue
          times[at]?.now.push(isNowFirst ? first : second)
          times[at]?.base.push(isNowFirst ? second : first)
        }
      for (const [at, each] of times.entries()) {
        if (each.now.length === 0) continue
        found[at]?.ratios.push(median(each.now.map((time, round) => time / (each.base[round] ?? Number.NaN))))
        found[at]?.now.push(median(each.now))
        found[at]?.base.push(median(each.base))
      }
    } finally {
      await Promise.all([now.close(), base.close()])
    }
  }
  return rows.flatMap(({ name }, at) => {
    const { ratios = [], now = [], base = [] } = found[at] ?? {}
    return ratios.length === 0 ? [] : [{ name, ratios, now: median(now), base: median(base) }]
  })
}

/** Starts the process of a side and waits until its rows are ready. */
async function openSide(folder: string, group: Group, signal: AbortSignal) {
  const child = fork(new URL('./side.ts', import.meta.url), [folder, group], { signal })
  const ended = once(child, 'exit')
  // An abort is told by `hear`.
  child.on('error', () => {})
  const problems = await hear<readonly string[]>(child, ended)
  return {
    problems,
    run: (at: number): Promise<number> => {
      child.send(at)
      return hear<number>(child, ended)
    },
    close: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

async function hear<Message>(child: ChildProcess, ended: Promise<unknown[]>): Promise<Message> {
  const left = new AbortController()
  try {
    const [message] = await Promise.race([
      once(child, 'message', { signal: left.signal }),
      ended.then(([code]) => {
        throw new Error(`a process that measured exited with code ${code}`)
      }),
    ])
    return message
  } finally {
    left.abort()
  }
}

import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { systemEnv } from '../../kernel/system-env.ts'
import type { RunnerAnswerInput } from '../../scheduler/index.ts'

/** The processor time that the processes of a group have used, and their memory. */
interface GroupUsage {
  readonly userMs: number
  readonly systemMs: number
  readonly rssBytes: number
}

/** How long processor time is measured. */
const spanMs = 500

/** Measures what tasks use now, each with all processes of its group, whose ID is given. */
export async function measureUsage(
  groups: ReadonlyMap<string, number>,
): Promise<NonNullable<RunnerAnswerInput['Usage']>> {
  if (groups.size === 0) return {}
  const startedAt = systemEnv().now
  const wanted = new Set(groups.values())
  const before = await readGroups(wanted)
  await pause(spanMs)
  const after = await readGroups(wanted)
  const { now } = systemEnv()
  const share = (from: number, to: number) => Math.max(0, to - from) / Math.max(1, now - startedAt)
  const usage: NonNullable<RunnerAnswerInput['Usage']> = {}
  for (const [task, group] of groups) {
    const [from, to] = [before.get(group), after.get(group)]
    // It has ended, or begun, in between.
    if (from === undefined || to === undefined) continue
    const [user, system] = [share(from.userMs, to.userMs), share(from.systemMs, to.systemMs)]
    usage[task] = {
      UserPercent: user * 100,
      SystemPercent: system * 100,
      MHz: (user + system) * coreMhz(),
      RSS: to.rssBytes,
      Timestamp: now * 1e6,
    }
  }
  return usage
}

/** The speed of a core; machines that do not tell it count as 1,000 MHz. */
export const coreMhz = (): number => {
  const speeds = cpus().map(({ speed }) => (speed > 0 ? speed : 1000))
  return speeds.reduce((sum, speed) => sum + speed, 0) / Math.max(1, speeds.length)
}

/** The usage of process groups of this machine, by their IDs. */
const readGroups = (wanted: ReadonlySet<number>) =>
  process.platform === 'linux' ? groupsOfProc(wanted) : groupsOfPs()

const add = (groups: Map<number, GroupUsage>, group: number, { userMs, systemMs, rssBytes }: GroupUsage) => {
  const sum = groups.get(group) ?? { userMs: 0, systemMs: 0, rssBytes: 0 }
  groups.set(group, {
    userMs: sum.userMs + userMs,
    systemMs: sum.systemMs + systemMs,
    rssBytes: sum.rssBytes + rssBytes,
  })
}

async function groupsOfProc(wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUsage>> {
  const groups = new Map<number, GroupUsage>()
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
    const stat = await read('stat')
    // The name of the program, in parentheses, may contain spaces; the fields after it are state, parent, group, …
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const group = Number(fields[2])
    if (!wanted.has(group)) continue
    const rss = /^VmRSS:\s*(\d+) kB/m.exec(await read('status'))?.[1] ?? '0'
    // The kernel counts processor time for programs in ticks of 10 ms, everywhere.
    const ticks = (at: number) => Number(fields[at] ?? 0) * 10
    add(groups, group, { userMs: ticks(11), systemMs: ticks(12), rssBytes: Number(rss) * 1024 })
  }
  return groups
}

async function groupsOfPs(): Promise<ReadonlyMap<number, GroupUsage>> {
  const groups = new Map<number, GroupUsage>()
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,rss=,time='])
  for (const line of stdout.split('\n')) {
    const [group, rss = '0', time = '0'] = line.trim().split(/\s+/)
    if (!group) continue
    const [days, clock] = time.includes('-') ? time.split('-', 2) : ['0', time]
    const seconds = (clock ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
    // It does not tell the time of the system apart.
    const userMs = (Number(days) * 86_400 + seconds) * 1000
    add(groups, Number(group), { userMs, systemMs: 0, rssBytes: Number(rss) * 1024 })
  }
  return groups
}

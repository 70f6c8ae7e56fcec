import { join } from 'node:path'
import type { Env } from '../../kernel/index.ts'
import type { RunnerAllocation, RunnerReport } from '../../scheduler/index.ts'
import { type RunningTask, runTask, unsupported } from './task.ts'

type Group = NonNullable<RunnerAllocation['Group']>
type Task = Group['Tasks'][number]

/** An allocation that is being run. */
export interface RunningAllocation {
  /** Ends its tasks and reports the allocation as complete. */
  readonly stop: () => Promise<void>
  /** Ends its tasks without further reports. */
  readonly abandon: () => Promise<void>
  /** Takes over what the scheduler says now: a new deployment judges an allocation that stays as it is. */
  readonly update: (allocation: Pick<RunnerAllocation, 'DeploymentID'>) => void
  /** Whether a task of this name may still write output. */
  readonly mayWrite: (task: string) => boolean
  /** The process groups of a running task, or of all of them if the name is empty. */
  readonly processes: (task: string) => ReadonlyMap<string, number>
  /** Restarts a task, or sends it a signal; all that run if the name is empty. Returns what is wrong. */
  readonly act: (task: string, what: (task: RunningTask) => boolean) => string | undefined
}

/**
 * Runs the tasks of an allocation: prestart tasks, then the main ones, then poststop tasks. It fails with the first
 * task that fails permanently, and ends with its leader.
 * @param options - `report` is called with every change of the status
 */
export function runAllocation(
  allocation: RunnerAllocation,
  options: {
    readonly dir: string
    readonly pids: string
    readonly datacenter: string
    readonly env: () => Pick<Env, 'now'>
    readonly report: (report: RunnerReport) => void
  },
): RunningAllocation {
  const { ID, Group, Job } = allocation
  const tasks = new Map<string, RunningTask>()
  let isSilent = false
  let isStopping = false
  let last: Pick<RunnerReport, 'ClientStatus' | 'ClientDescription'> = { ClientStatus: 'pending' }
  const report = (now: typeof last = last) => {
    last = now
    if (isSilent) return
    const TaskStates: Record<string, object> = {}
    for (const [name, task] of tasks) TaskStates[name] = task.status()
    options.report({ ID, ...last, TaskStates, ...health.judged() } as RunnerReport) // states of tasks
  }
  const fail = (ClientDescription: string) => {
    if (isService) health.judge(false)
    report({ ClientStatus: 'failed', ClientDescription })
  }

  const isService = Job?.Type === 'service'
  const isForever = Job?.Type === 'service' || Job?.Type === 'system'
  const health = healthCheck(Group?.Update ?? Job?.Update ?? {}, () => report())
  const start = (task: Task, forever: boolean): RunningTask => {
    const whole = join(options.dir, ID)
    const running = runTask(allocation, task, {
      folders: { alloc: join(whole, 'alloc'), task: join(whole, task.Name), pids: options.pids },
      datacenter: options.datacenter,
      policy: policyOf(task, Group),
      forever,
      env: options.env,
      changed: () => report(),
    })
    tasks.set(task.Name, running)
    return running
  }
  const stopAll = async () => {
    isStopping = true
    health.stop()
    await Promise.all([...tasks.values()].map((task) => task.stop()))
  }

  const run = async () => {
    if (Group === null || Job === null) return fail('this version of the job no longer exists')
    const lack = Group.Tasks.map((task) => [task.Name, unsupported(task)] as const).find(([, why]) => why)
    if (lack !== undefined) return fail(`Task ${lack[0]}: ${lack[1]}`)
    const inPhase = (phase: ReturnType<typeof phaseOf>) =>
      Group.Tasks.filter((task) => phaseOf(task) === phase)
    for (const task of inPhase('before')) {
      const first = start(task, false)
      await first.over
      if (isStopping) return
      if (first.status().Failed) return fail(`Task ${task.Name} failed`)
    }
    const mains = inPhase('main').map((task) => ({ task, running: start(task, isForever) }))
    report({ ClientStatus: 'running', ClientDescription: 'Tasks are running' })
    if (isService) health.watch(mains.map(({ running }) => running))
    const ends = mains.map(async ({ task, running }) => {
      await running.over
      if (isStopping) return
      // A leader, or a task that fails permanently, ends the others.
      if (task.Leader || running.status().Failed) await stopAll()
    })
    await Promise.all(ends)
    const wasStopped = isStopping
    isStopping = false
    for (const task of inPhase('after')) await start(task, false).over
    isStopping = wasStopped
    const failed = mains.find(({ running }) => running.status().Failed)
    if (failed !== undefined) return fail(`Task ${failed.task.Name} failed`)
    report({ ClientStatus: 'complete', ClientDescription: 'All tasks have completed' })
  }
  // A task that cannot be prepared, on a full disk for example, ends its allocation and nothing else.
  const over = run().catch(async (error: unknown) => {
    await stopAll()
    fail(`the tasks could not be prepared: ${error instanceof Error ? error.message : String(error)}`)
  })
  let deployment = allocation.DeploymentID
  return {
    update: ({ DeploymentID }) => {
      if (DeploymentID === deployment) return
      deployment = DeploymentID
      health.again()
    },
    mayWrite: (name) => (tasks.get(name)?.status().State ?? 'pending') !== 'dead',
    processes: (name) => {
      const found = new Map<string, number>()
      for (const [each, task] of tasks) {
        const group = name === '' || name === each ? task.group() : undefined
        if (group !== undefined) found.set(each, group)
      }
      return found
    },
    act: (name, what) => {
      const known = Group?.Tasks.some(({ Name }) => Name === name)
      if (name !== '' && known !== true)
        return `Could not find task named: ${name}, found:\n${[...tasks.keys()].join('\n')}`
      const chosen = [...tasks].filter(([each]) => name === '' || each === name)
      const done = chosen.filter(([, task]) => what(task))
      return done.length > 0 ? undefined : 'Task not running'
    },
    stop: async () => {
      await stopAll()
      await over
      if (last.ClientStatus !== 'failed')
        report({ ClientStatus: 'complete', ClientDescription: 'Tasks were stopped' })
    },
    abandon: async () => {
      isSilent = true
      await stopAll()
      await over
    },
  }
}

/** When a task runs: before the main ones, with them, or after them. */
const phaseOf = ({ Lifecycle }: Task) =>
  Lifecycle?.Hook === 'prestart' && !Lifecycle.Sidecar
    ? 'before'
    : Lifecycle?.Hook === 'poststop'
      ? 'after'
      : 'main'

/**
 * Judges the health of an allocation, once: it is healthy if all tasks have run for a while without a restart.
 *
 * @param changed - called after the verdict
 */
function healthCheck(
  { MinHealthyTime = 10e9, HealthyDeadline = 300e9 }: Partial<NonNullable<Group['Update']>>,
  changed: () => void,
) {
  let health: { readonly Healthy: boolean } | undefined
  let timers: ReturnType<typeof setTimeout>[] = []
  let isStopped = false
  let watched: readonly RunningTask[] = []
  const judge = (Healthy: boolean) => {
    for (const timer of timers) clearTimeout(timer)
    timers = []
    if (health !== undefined) return
    health = { Healthy }
    changed()
  }
  const watch = (tasks: readonly RunningTask[]) => {
    watched = tasks
    const restarts = () => tasks.reduce((sum, task) => sum + task.status().Restarts, 0)
    const check = () => {
      const before = restarts()
      const ends = setTimeout(() => {
        const isSound = tasks.every((task) => task.status().State === 'running') && restarts() === before
        if (isSound) judge(true)
        else if (health === undefined && !isStopped) check()
      }, MinHealthyTime / 1e6)
      timers.push(ends)
    }
    check()
    timers.push(setTimeout(() => judge(false), HealthyDeadline / 1e6))
  }
  return {
    judged: () => health,
    judge,
    watch,
    /** Judges again those that are watched. */
    again: () => {
      for (const timer of timers) clearTimeout(timer)
      timers = []
      health = undefined
      if (!isStopped && watched.length > 0) watch(watched)
    },
    stop: () => {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** The restart policy of a task: its own, else that of its group. */
function policyOf({ RestartPolicy: own }: Task, group: Group | null): typeof never {
  const { Attempts, Interval, Delay, Mode } = own ?? never
  // The default that the scheduler filled in looks like this.
  const isFilledIn = Attempts === 2 && Interval === 1800e9 && Delay === 15e9 && Mode === 'fail'
  return (isFilledIn ? undefined : own) ?? group?.RestartPolicy ?? own ?? never
}

/** Tasks without a restart policy are not restarted. */
const never: NonNullable<Group['RestartPolicy']> = {
  Attempts: 0,
  Interval: 0,
  Delay: 0,
  Mode: 'fail',
  RenderTemplates: false,
}

import type { RunnerAnswerInput, RunnerCall } from '../../scheduler/index.ts'
import type { RunningAllocation } from './allocation.ts'
import { type ClusterClient, Refusal } from './cluster.ts'
import { describeFiles, readFile, readOutput, refused } from './files.ts'
import { signalNamed } from './process.ts'
import type { RunningTask } from './task.ts'
import { measureUsage } from './usage.ts'

/** Answers what users ask about the allocations of this node, until the signal ends it. */
export async function answerCalls(
  cluster: ClusterClient,
  {
    dir,
    running,
    signal,
    failed,
  }: {
    readonly dir: string
    readonly running: ReadonlyMap<string, RunningAllocation>
    readonly signal: AbortSignal
    /** Reports an error, and waits before the next attempt. */
    readonly failed: (error: unknown) => Promise<void>
  },
): Promise<void> {
  const answer = async (call: RunnerCall) => {
    const found = await answerTo(call, dir, running.get(call.AllocID)).catch((error: unknown) =>
      refused('invalid_runner_call', error instanceof Error ? error.message : String(error)),
    )
    await cluster.answer(call, found)
  }
  while (!signal.aborted) {
    try {
      for (const call of await cluster.calls(signal)) void answer(call).catch(failed)
    } catch (error) {
      if (signal.aborted) return
      // A server of an earlier version has no calls.
      if (error instanceof Refusal && error.status === 404) return
      await failed(error)
    }
  }
}

async function answerTo(
  call: RunnerCall,
  dir: string,
  allocation: RunningAllocation | undefined,
): Promise<RunnerAnswerInput> {
  const act = (what: (task: RunningTask) => boolean) => {
    const wrong = allocation === undefined ? 'Task not running' : allocation.act(call.Task, what)
    return wrong === undefined ? {} : refused('invalid_runner_call', wrong)
  }
  switch (call.Do) {
    case 'list':
    case 'stat':
      return describeFiles(dir, call)
    case 'read':
      return readFile(dir, call, () => allocation !== undefined)
    case 'logs':
      return readOutput(dir, call, () => allocation?.mayWrite(call.Task) === true)
    case 'stats':
      return { Usage: await measureUsage(allocation?.processes(call.Task) ?? new Map()) }
    case 'restart':
      return act((task) => task.restart())
    case 'signal': {
      const name = signalNamed(call.Signal === '' ? 'SIGINT' : call.Signal)
      return name === undefined
        ? refused('invalid_runner_call', `invalid signal ${call.Signal}`)
        : act((task) => task.signal(name))
    }
    default:
      return call.Do satisfies never
  }
}

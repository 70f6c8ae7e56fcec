import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cluster, endAfterEach, folder, isAlive, logOf, shell, slow } from './runner-cluster.ts'
import { plinth } from './server.ts'

endAfterEach()

describe('plinth runner', () => {
  it('runs a job as a process, rolls it, and ends it when the job is stopped', async () => {
    const { scheduler, runner, live } = await cluster()
    await runner('n1')
    const script = 'echo "$$ $VERSION $NOMAD_ALLOC_INDEX $PLINTH_TASK_NAME"; while :; do sleep 0.1; done'
    await scheduler.registerJob(shell('web', script, { task: { Env: { VERSION: 'one' } } }))
    await expect.poll(async () => (await live('web')).length, slow).toBe(1)
    const [first] = await live('web')
    await expect.poll(() => logOf('n1', first?.ID ?? ''), slow).toMatch(/^\d+ one 0 main\n$/)
    const pid = Number.parseInt(logOf('n1', first?.ID ?? ''), 10)
    expect(isAlive(pid)).toBe(true)
    const deployed = async () => {
      const found = await scheduler.readJobDeployment('web')
      return found.ok ? found.value?.Status : undefined
    }
    await expect.poll(deployed, slow).toBe('successful')

    await scheduler.registerJob(shell('web', script, { task: { Env: { VERSION: 'two' } } }))
    await expect.poll(async () => (await live('web')).map(({ JobVersion }) => JobVersion), slow).toEqual([1])
    await expect.poll(() => isAlive(pid), slow).toBe(false)
    const [second] = await live('web')
    await expect.poll(() => logOf('n1', second?.ID ?? ''), slow).toMatch(/^\d+ two 0 main\n$/)
    await expect.poll(deployed, slow).toBe('successful')

    const next = Number.parseInt(logOf('n1', second?.ID ?? ''), 10)
    await scheduler.deregisterJob('web')
    await expect.poll(() => isAlive(next), slow).toBe(false)
    const ended = async () => {
      const found = await scheduler.readAllocation(second?.ID ?? '')
      return found.ok && found.value.ClientStatus
    }
    await expect.poll(ended, slow).toBe('complete')
  })

  it('moves a job from a node that is drained, and from one that is killed', async () => {
    const { scheduler, runner, live } = await cluster({ heartbeatTtlMs: 3000 })
    const runners = new Map([
      ['n1', await runner('n1')],
      ['n2', await runner('n2')],
    ])
    await scheduler.registerJob(shell('web', 'echo $$; exec sleep 1000'))
    const where = async () => (await live('web')).map(({ NodeID }) => NodeID).join()
    await expect.poll(where, slow).toMatch(/^n[12]$/)
    const first = await where()
    const [before] = await live('web')
    await expect.poll(() => logOf(first, before?.ID ?? ''), slow).toMatch(/^\d+\n$/)
    const pid = Number(logOf(first, before?.ID ?? ''))
    const second = first === 'n1' ? 'n2' : 'n1'
    await scheduler.drainNode(first, { spec: { deadline: 60e9, ignoreSystemJobs: false } })
    await expect.poll(where, slow).toBe(second)
    await expect.poll(() => isAlive(pid), slow).toBe(false)
    await expect
      .poll(async () => {
        const node = await scheduler.readNode(first)
        return node.ok && node.value.DrainStrategy
      }, slow)
      .toBeNull()

    await scheduler.setNodeEligibility(first, 'eligible')
    const [after] = await live('web')
    await expect.poll(() => logOf(second, after?.ID ?? ''), slow).toMatch(/^\d+\n$/)
    const orphan = Number(logOf(second, after?.ID ?? ''))
    runners.get(second)?.child.kill('SIGKILL')
    await expect.poll(where, slow).toBe(first)
    const lost = await scheduler.readAllocation(after?.ID ?? '')
    expect(lost.ok && lost.value.ClientStatus).toBe('lost')
    // What the killed runner left behind ends when the next one begins.
    const again = await runner(second)
    expect(isAlive(orphan)).toBe(false)
    expect(again.output().stderr).toContain('killed 1 processes of an earlier runner')
    await expect
      .poll(async () => {
        const node = await scheduler.readNode(second)
        return node.ok && node.value.Status
      }, slow)
      .toBe('ready')
  })

  it('runs a batch job to its end, and restarts one that fails as often as its policy says', async () => {
    const { scheduler, runner, allocationOf } = await cluster()
    await runner('n1')
    await scheduler.registerJob(shell('once', 'echo done; echo bad >&2', { Type: 'batch' }))
    const statusOf = async (job: string) => (await allocationOf(job))?.ClientStatus
    await expect.poll(() => statusOf('once'), slow).toBe('complete')
    const once = (await allocationOf('once'))?.ID ?? ''
    expect([logOf('n1', once), logOf('n1', once, 'stderr')]).toEqual(['done\n', 'bad\n'])

    const RestartPolicy = { Attempts: 2, Interval: 600e9, Delay: 10e6, Mode: 'fail' }
    const group = { RestartPolicy, ReschedulePolicy: { Attempts: 0, Unlimited: false } }
    await scheduler.registerJob(shell('bad', 'echo try; exit 3', { Type: 'batch', group }))
    await expect.poll(() => statusOf('bad'), slow).toBe('failed')
    const bad = await allocationOf('bad')
    expect(logOf('n1', bad?.ID ?? '')).toBe('try\ntry\ntry\n')
    expect(bad?.TaskStates?.['main']).toMatchObject({ State: 'dead', Failed: true, Restarts: 2 })
  })

  it('gives a program its arguments as texts, also numbers of a job file', async () => {
    const { scheduler, runner, allocationOf } = await cluster()
    await runner('n1')
    const task = { Config: { command: 'echo', args: ['-n', 8080, true] } }
    await scheduler.registerJob(shell('port', '', { Type: 'batch', task }))
    await expect.poll(async () => (await allocationOf('port'))?.ClientStatus, slow).toBe('complete')
    expect(logOf('n1', (await allocationOf('port'))?.ID ?? '')).toBe('8080 true')
  })

  it('makes a task end that does not want to, and all it has started', async () => {
    const { scheduler, runner, live } = await cluster()
    await runner('n1')
    const script =
      "trap '' INT; sh -c \"trap '' INT; echo child \\$\\$; sleep 1000\" & echo parent $$; wait; sleep 1000"
    await scheduler.registerJob(shell('deaf', script, { task: { KillTimeout: 500e6 } }))
    await expect.poll(async () => (await live('deaf')).length, slow).toBe(1)
    const [{ ID } = { ID: '' }] = await live('deaf')
    await expect.poll(() => logOf('n1', ID).split('\n').length, slow).toBe(3)
    const pids = [...logOf('n1', ID).matchAll(/\d+/g)].map(([pid]) => Number(pid))
    expect(pids.map(isAlive)).toEqual([true, true])
    await scheduler.deregisterJob('deaf')
    await expect.poll(() => pids.map(isAlive), slow).toEqual([false, false])
  })

  it.each([
    ['another driver', { Driver: 'docker' }, 'driver "docker" is not supported'],
    ['a template', { Templates: [{ EmbeddedTmpl: 'x' }] }, 'Templates are not supported'],
    ['no command', { Config: {} }, 'Config.command must name the program'],
    ['a folder of another name', { Name: 'alloc' }, 'the name of a task is that of a folder'],
    ['a folder that cannot be made', { Name: 'x'.repeat(300) }, 'could not be prepared: ENAMETOOLONG'],
    ['a program that is not there', { Config: { command: '/no/such/program' } }, 'Task main failed'],
  ])('fails what asks for %s, and says so', async (_, task, text) => {
    // The node says what it has: only what is placed all the same comes so far.
    const { scheduler, runner, allocationOf } = await cluster()
    await runner('n1')
    const group = { ReschedulePolicy: { Attempts: 0, Unlimited: false } }
    await scheduler.registerJob(shell('odd', 'true', { Type: 'batch', task, group }))
    const outcome = async () => {
      const allocation = await allocationOf('odd')
      if (allocation !== undefined) return allocation.ClientDescription
      const evaluations = await scheduler.listJobEvaluations('odd')
      return evaluations.ok && evaluations.value.some(({ Status }) => Status === 'blocked')
        ? 'not placed'
        : ''
    }
    await expect.poll(outcome, slow).toMatch(new RegExp(`${text}|not placed`))
  })

  it('ends its tasks and leaves when it is stopped, and keeps its secrets from tasks', async () => {
    const { scheduler, runner, live } = await cluster()
    const one = await runner('n1', { SCHEDULER_TOKEN: 'very-secret' })
    await scheduler.registerJob(shell('web', 'echo $$; env; exec sleep 1000'))
    await expect.poll(async () => (await live('web')).length, slow).toBe(1)
    const [{ ID } = { ID: '' }] = await live('web')
    await expect.poll(() => logOf('n1', ID), slow).toContain('NOMAD_JOB_ID=web')
    expect(logOf('n1', ID)).not.toContain('very-secret')
    const { secret } = JSON.parse(readFileSync(join(folder(), 'n1', 'node.json'), 'utf8'))
    expect(logOf('n1', ID)).not.toContain(secret)
    const pid = Number.parseInt(logOf('n1', ID), 10)
    one.child.kill('SIGTERM')
    expect(await one.exited).toBe(0)
    expect(isAlive(pid)).toBe(false)
    const node = await scheduler.readNode('n1')
    expect(node.ok && node.value.Status).toBe('down')
    expect(readdirSync(join(folder(), 'n1', 'pids'))).toEqual([])
  })

  it('says what is wrong when it cannot register', async () => {
    const { url } = await cluster({ acl: true })
    const refused = plinth(['runner', '--address', url, '--dir', join(folder(), 'n1')])
    expect(await refused.exited).toBe(1)
    expect(refused.output().stderr).toContain('SCHEDULER_TOKEN needs node:write')
    const nowhere = plinth(['runner', '--address', 'http://127.0.0.1:1', '--dir', join(folder(), 'n2')])
    expect(await nowhere.exited).toBe(1)
    expect(nowhere.output().stderr).toContain('cannot register with http://127.0.0.1:1')
  })
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cluster, endAfterEach, folder, slow } from './runner-cluster.ts'
import { plinth } from './server.ts'

endAfterEach()

/** A job file of four allocations with a port each. */
const file = `
variable "version" {
  type    = string
  default = "one"
}
variable "works" {
  type    = bool
  default = true
}
locals {
  say = format("version %s listens on $NOMAD_ADDR_http", var.version)
}
job "web" {
  update {
    max_parallel     = 2
    min_healthy_time = "100ms"
    healthy_deadline = "2s"
    progress_deadline = "20s"
    auto_revert      = true
  }
  group "app" {
    count = 4
    network {
      port "http" {}
    }
    restart {
      attempts = 0
      mode     = "fail"
    }
    reschedule {
      attempts  = 0
      unlimited = false
    }
    task "main" {
      driver       = "raw_exec"
      kill_timeout = "2s"
      config {
        command = "sh"
        args    = ["-c", "echo \${local.say}; \${var.works ? "exec sleep 1000" : "exit 1"}"]
      }
      resources {
        cpu    = 10
        memory = 10
      }
    }
  }
}
`

/** Two nodes with runners, and the command line. */
async function withTwoRunners() {
  const parts = await cluster()
  await Promise.all([parts.runner('n1'), parts.runner('n2')])
  writeFileSync(join(folder(), 'web.hcl'), file)
  const cli = async (line: string) => {
    const words = line.split(' ').map((word) => (word.endsWith('.hcl') ? join(folder(), word) : word))
    const run = plinth(words, { SCHEDULER_ADDR: parts.url })
    const code = await run.exited
    return { code, ...run.output() }
  }
  /** What a command prints; it must succeed. */
  const said = async (line: string, code = 0) => {
    const done = await cli(line)
    expect({ line, ...done }).toMatchObject({ code })
    return done.stdout
  }
  return { ...parts, cli, said }
}

describe('the life of a job on the command line', () => {
  it('is run, rolled, reverted, drained and stopped, and its output is read', async () => {
    const { said, cli, live, runner: _, scheduler } = await withTwoRunners()
    expect(await said('job plan web.hcl', 1)).toMatch(
      /\+ Job: "web"[\s\S]*\+ Task Group: "app" \(4 create\)[\s\S]*All tasks successfully allocated/,
    )

    // It is placed on both nodes, each with a port of its own, and waits until it is healthy.
    const run = await said('job run web.hcl')
    expect(run.match(/Allocation "[0-9a-f]{8}" created: node "n[12]", group "app"/g)).toHaveLength(4)
    expect(run).toMatch(/Evaluation "[0-9a-f]{8}" finished with status "complete"\n/)
    expect(run).toContain('successful: Deployment completed successfully')
    const first = await live('web')
    expect(new Set(first.map(({ NodeID }) => NodeID))).toEqual(new Set(['n1', 'n2']))
    const status = await said('job status web')
    expect(status).toMatch(/^ID +=? ?/)
    expect(status).toMatch(/\nSummary\nTask Group +Queued +Starting +Running[^\n]*\napp +0 +0 +4 /)
    expect(status).toMatch(
      /\nDeployed\nTask Group +Auto Revert +Desired +Placed +Healthy +Unhealthy +Progress Deadline\napp +true +4 +4 +4 +0 +\d{4}-/,
    )
    expect(status).toMatch(/\nID +Node ID +Task Group +Version +Desired +Status +Created +Modified\n/)
    expect(status.match(/ run +running /g)).toHaveLength(4)

    const [{ ID } = { ID: '' }] = first
    const alloc = await said(`alloc status ${ID.slice(0, 8)}`)
    const port = /\nLabel +Dynamic +Address\n\*http +yes +(\d+)\n/.exec(alloc)?.[1]
    expect(alloc).toMatch(/\nTask Resources:\nCPU +Memory +Disk\n10 MHz +10 MiB +300 MiB\n/)
    expect(alloc).toMatch(/\nDeployment ID +=? ?[0-9a-f]{8}\nDeployment Health +=? ?healthy\n/)
    expect(alloc).toContain('Task "main" is "running"')
    expect(await said(`alloc logs ${ID}`)).toBe(`version one listens on 127.0.0.1:${port}\n`)
    expect(await said(`alloc logs -tail -n=1 ${ID} main`)).toContain('version one')

    // Whole IDs, evaluations and dates for those who ask.
    expect(await said('job status -verbose web')).toMatch(/\nID +Eval ID +Node ID +Node Name +Task Group /)

    // A new version rolls over all of them.
    const second = await said('job run -var=version=two web.hcl')
    expect(second).toContain('successful: Deployment completed successfully')
    const rolled = await live('web')
    expect(rolled.map(({ JobVersion }) => JobVersion)).toEqual([1, 1, 1, 1])
    expect(await said(`alloc logs ${rolled[0]?.ID}`)).toContain('version two')

    // One that does not work fails, and the last that did comes back.
    const third = await said('job run -var=version=three -var=works=false web.hcl', 1)
    expect(third).toMatch(/Deployment "[0-9a-f]{8}" failed: .*rolling back to job version 1/)
    await expect
      .poll(async () => {
        const found = await scheduler.readJobDeployment('web')
        return found.ok && found.value?.JobVersion === 3 && found.value.Status
      }, slow)
      .toBe('successful')
    const versions = await said('job history -p web')
    expect(versions.match(/(?<=^Version += )\d/gm)).toEqual(['3', '2', '1', '0'])
    expect(versions).toMatch(/\nDiff =\n\+\/- Job: "web"\n/)
    expect(await said('deployment list -filter=JobVersion==2')).toMatch(/^ID .*\n\S+ +web +2 +failed .*\n$/)
    expect(await said('job revert web 0')).toContain('successful')
    const reverted = await live('web')
    expect(await said(`alloc logs ${reverted[0]?.ID}`)).toContain('version one')

    // A drained node gives its allocations to the other one.
    expect(await said('node drain -enable -deadline=1m n1')).toBe('draining n1\n')
    await expect
      .poll(async () => (await live('web')).map(({ NodeID }) => NodeID).join(), slow)
      .toBe('n2,n2,n2,n2')
    expect(await said('node status')).toMatch(/^n1 .* ineligible +ready$/m)
    await said('node drain -disable n1')
    expect(await said('node eligibility -disable n1')).toBe('n1 is ineligible\n')
    await said('node eligibility -enable n1')

    // Restarts, signals and stops reach the process.
    const [{ ID: kept } = { ID: '' }] = await live('web')
    await said(`alloc restart ${kept}`)
    await expect.poll(async () => (await said(`alloc logs ${kept}`)).split('\n').length, slow).toBe(3)
    expect(await said(`alloc signal -s=SIGCONT ${kept}`)).toBe(`signalled ${kept.slice(0, 8)}\n`)
    expect(await said(`alloc stop ${kept}`)).toContain('finished with status "complete"')
    await expect.poll(async () => (await live('web')).length, slow).toBe(4)

    expect(await said('job scale web 2')).toContain('successful')
    expect(await live('web')).toHaveLength(2)
    expect(JSON.parse(await said('job inspect web'))).toMatchObject({ Job: { TaskGroups: [{ Count: 2 }] } })
    const evaluations: readonly { ID: string }[] = JSON.parse(await said('eval list -job=web -json'))
    expect(evaluations).toEqual(expect.arrayContaining([expect.objectContaining({ JobID: 'web' })]))
    expect(await said(`eval status ${evaluations[0]?.ID}`)).toMatch(
      /\nStatus Description += complete\n[\s\S]*\nPlacement Failures += false\nPrevious Eval += /,
    )
    await said('job stop web')
    await expect.poll(async () => (await live('web')).length, slow).toBe(0)
    expect((await cli('alloc logs none')).stderr).toContain(
      'there is no allocation whose ID begins with none',
    )
  })

  it('says what cannot be placed, and why', async () => {
    const { said, cli } = await withTwoRunners()
    writeFileSync(
      join(folder(), 'big.hcl'),
      'job "big" {\n  group "app" {\n    count = 2\n    task "main" {\n      driver = "docker"\n      config { image = "x" }\n    }\n  }\n}\n',
    )
    const run = await cli('job run big.hcl')
    expect(run.code).toBe(2)
    expect(run.stdout).toMatch(
      /finished with status "complete" but failed to place all allocations:\n {4}Task Group "app" \(failed to place 2 allocations\):\n.*missing drivers.*2 nodes excluded by filter/,
    )
    expect(run.stdout).toContain('waiting for additional capacity to place remainder')
    expect(await said('job status big')).toMatch(
      /\nPlacement Failure\nTask Group "app" \(failed to place 2 allocations\):/,
    )
    expect((await cli('job plan big.hcl')).stdout).toContain('WARNING: Failed to place all allocations')
    expect(await said('job run -detach big.hcl')).toContain('Job registration successful')
  })

  it('begins with a sample, checks files and refuses what is wrong', async () => {
    const { said, cli } = await withTwoRunners()
    await said('job init -short sample.hcl')
    expect(await said('job validate sample.hcl')).toBe('Job validation successful\n')
    expect(await said('job run sample.hcl')).toContain('successful')
    expect((await cli('job init sample.hcl')).stderr).toContain('exists already')
    await said('job init long.hcl')
    expect(await said('job validate long.hcl')).toBe('Job validation successful\n')
    expect(readFileSync(join(folder(), 'long.hcl'), 'utf8')).toContain('auto_revert')
    expect(await cli('job run -var=verzion=x web.hcl')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no variable "verzion"; did you mean version?'),
    })
    expect(await cli('job scale web many')).toMatchObject({ code: expect.toBeOneOf([1, 2]) })
    expect(existsSync(join(folder(), 'example.nomad.hcl'))).toBe(false)
  })

  it('keeps variables, and replaces one only with its index or with -force', async () => {
    const { said, cli } = await withTwoRunners()
    expect(await said('var put app/db user=ada password=x')).toMatch(/Path +=? ?app\/db|Path {8}= app\/db/)
    expect(await cli('var put app/db user=eve')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('app/db has another ModifyIndex'),
    })
    const { ModifyIndex } = JSON.parse(await said('var get -json app/db'))
    await said(`var put -check-index=${ModifyIndex} app/db user=eve`)
    expect(await said('var get -item=user app/db')).toBe('eve\n')
    expect(await said('var list app/')).toMatch(/default +app\/db +\d{4}-/)
    await said('var purge app/db')
    expect(await cli('var get app/db')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('variable not found'),
    })
  })
})

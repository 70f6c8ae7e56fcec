import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/kernel/index.ts'
import { cluster, endAfterEach, folder, logOf, shell, slow } from './runner-cluster.ts'

endAfterEach()

/** A job that runs on one node, and requests about its allocation. */
async function running(script: string, more: Parameters<typeof shell>[2] = {}) {
  const parts = await cluster()
  await parts.runner('n1')
  await parts.scheduler.registerJob(shell('web', script, more))
  await expect.poll(async () => (await parts.live('web')).length, slow).toBe(1)
  const [{ ID } = { ID: '' }] = await parts.live('web')
  const get = async (path: string) => {
    const response = await fetch(`${parts.url}/v1/client/${path}`)
    return { status: response.status, text: await response.text() }
  }
  const put = async (path: string, body: object) =>
    fetch(`${parts.url}/v1/client/${path}`, { method: 'PUT', body: JSON.stringify(body) })
  const logs = (query: string) => get(`fs/logs/${ID}?task=main&type=stdout&${query}`)
  return { ...parts, ID, get, put, logs }
}

const forever = 'echo one; echo two; exec sleep 1000'

describe('the output of a task', () => {
  it('is read from its start or its end, as bytes or as frames, and never beyond either', async () => {
    const { logs, ID } = await running(forever)
    await expect.poll(() => logOf('n1', ID), slow).toBe('one\ntwo\n')
    expect(await logs('plain=true')).toEqual({ status: 200, text: 'one\ntwo\n' })
    expect((await logs('plain=true&offset=4')).text).toBe('two\n')
    expect((await logs('plain=true&origin=end&offset=4')).text).toBe('two\n')
    expect((await logs('plain=true&offset=4000000000')).text).toBe('')
    expect((await logs('plain=true&origin=end&offset=4000000000')).text).toBe('one\ntwo\n')
    const frame = JSON.parse((await logs('offset=4')).text)
    expect({ ...frame, Data: atob(frame.Data) }).toEqual({
      Offset: 4,
      Data: 'two\n',
      File: 'alloc/logs/main.stdout.0',
    })
  })

  it('is followed until its task ends', async () => {
    const { ID, scheduler, logs } = await running(
      'n=0; while [ $n -lt 3 ]; do n=$((n+1)); echo $n; sleep 0.3; done; exec sleep 1000',
    )
    const followed = logs('plain=true&follow=true')
    await expect.poll(() => logOf('n1', ID), slow).toBe('1\n2\n3\n')
    await scheduler.deregisterJob('web')
    expect(await followed).toEqual({ status: 200, text: '1\n2\n3\n' })
    // Its files stay.
    expect((await logs('plain=true')).text).toBe('1\n2\n3\n')
  })

  it('does not mind two hundred followers that go away', async () => {
    const { url, ID, logs } = await running('echo one; exec sleep 1000')
    await expect.poll(() => logOf('n1', ID), slow).toBe('one\n')
    const gone = new AbortController()
    const heads = await Promise.all(
      Array.from({ length: 200 }, () =>
        fetch(`${url}/v1/client/fs/logs/${ID}?task=main&type=stdout&plain=true&follow=true`, {
          signal: gone.signal,
        }),
      ),
    )
    expect(heads.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 200))
    gone.abort()
    expect((await logs('plain=true')).text).toBe('one\n')
  })

  it.each([
    ['task=&type=stdout', 400, 'must provide task name'],
    ['task=main', 400, 'log type must be stdout or stderr'],
    ['task=main&type=stdout&offset=-1', 400, 'offset must be a whole number'],
    ['task=main&type=stdout&origin=middle', 400, 'origin must be start or end'],
    ['task=main&type=stdout&follow=perhaps', 400, 'follow'],
    ['task=other&type=stdout', 404, 'task "other" has no stdout'],
    ['task=../../main&type=stdout', 404, 'has no stdout'],
  ])('is refused with what is wrong: %s', async (query, status, why) => {
    const { get, ID } = await running(forever)
    const refused = await get(`fs/logs/${ID}?${query}`)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(why)])
  })
})

describe('the files of an allocation', () => {
  it('are listed, described and read', async () => {
    const { get, ID } = await running('echo content > "$NOMAD_TASK_DIR/file"; exec sleep 1000')
    const names = async (path: string) =>
      JSON.parse((await get(`fs/ls/${ID}?path=${path}`)).text).map(({ Name }: { Name: string }) => Name)
    expect(await names('/')).toEqual(['alloc', 'main'])
    expect(await names('/main')).toEqual(['local', 'secrets', 'tmp'])
    await expect.poll(() => names('main/local'), slow).toEqual(['file'])
    expect(JSON.parse((await get(`fs/stat/${ID}?path=main/local/file`)).text)).toMatchObject({
      Name: 'file',
      IsDir: false,
      Size: 8,
      FileMode: expect.stringMatching(/^-rw-/),
    })
    expect((await get(`fs/cat/${ID}?path=main/local/file`)).text).toBe('content\n')
    for (const way of ['cat', 'readat'])
      expect((await get(`fs/${way}/${ID}?path=main/local/file&offset=3&limit=2`)).text).toBe('te')
    const frames = async (query: string) =>
      (await get(`fs/stream/${ID}?path=main/local/file&follow=false${query}`)).text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    expect(await frames('')).toEqual([{ Offset: 0, Data: btoa('content\n'), File: 'main/local/file' }])
    expect(await frames('&offset=4&origin=end')).toEqual([
      { Offset: 4, Data: btoa('ent\n'), File: 'main/local/file' },
    ])
    expect((await get(`fs/stream/${ID}?path=main/local/none`)).status).toBe(400)
    expect((await get(`fs/stream/${ID}?path=main/local/file&origin=middle`)).status).toBe(400)
  })

  it('are followed as they grow', async () => {
    const { url, ID } = await running(
      'echo one > "$NOMAD_TASK_DIR/file"; while [ ! -e "$NOMAD_TASK_DIR/go" ]; do sleep 0.1; done; echo two >> "$NOMAD_TASK_DIR/file"; exec sleep 1000',
    )
    const local = join(folder(), 'n1', 'allocations', ID, 'main', 'local')
    await expect.poll(() => existsSync(join(local, 'file')), slow).toBe(true)
    const gone = new AbortController()
    const head = await fetch(`${url}/v1/client/fs/stream/${ID}?path=main/local/file`, { signal: gone.signal })
    const reader = head.body?.pipeThrough(new TextDecoderStream()).getReader()
    let read = ''
    const until = async (end: string) => {
      while (!read.endsWith(end)) {
        for (const line of ((await reader?.read())?.value ?? '').split('\n').filter(Boolean))
          read += atob(JSON.parse(line).Data)
      }
    }
    await until('one\n')
    writeFileSync(join(local, 'go'), '')
    await until('one\ntwo\n')
    gone.abort()
  })

  it('are read whole, however long they are', async () => {
    const { get, ID } = await running(
      'yes 0123456789abcde | head -c 1000000 > "$NOMAD_TASK_DIR/big"; echo done; exec sleep 1000',
    )
    await expect.poll(() => logOf('n1', ID), slow).toBe('done\n')
    expect((await get(`fs/cat/${ID}?path=main/local/big`)).text).toBe('0123456789abcde\n'.repeat(62_500))
  })

  it('end at the folder of the allocation, and never show secrets', async () => {
    const { get, ID } = await running(
      'echo hidden > "$NOMAD_SECRETS_DIR/key"; ln -s /etc "$NOMAD_TASK_DIR/etc"; echo done; exec sleep 1000',
    )
    await expect.poll(() => logOf('n1', ID), slow).toBe('done\n')
    for (const path of ['../../node.json', '/../../node.json', 'main/local/etc/hostname', '../../../..']) {
      const refused = await get(`fs/cat/${ID}?path=${encodeURIComponent(path)}`)
      expect([path, refused.status]).toEqual([path, expect.toBeOneOf([400, 404])])
    }
    for (const path of ['main/secrets/key', 'main/local/../secrets/key', 'main/secrets'])
      expect((await get(`fs/cat/${ID}?path=${path}`)).text).toContain('Reading secret file prohibited')
    symlinkSync(
      join(folder(), 'n1', 'allocations', ID, 'main', 'secrets'),
      join(folder(), 'n1', 'allocations', ID, 'alloc', 'way'),
    )
    expect((await get(`fs/cat/${ID}?path=alloc/way/key`)).text).toContain('Reading secret file prohibited')
  })
})

describe('the resource usage of an allocation', () => {
  it('counts the processor and the memory of all processes of its tasks', async () => {
    const { get, ID } = await running('(while :; do :; done) & echo busy; exec sleep 1000')
    await expect.poll(() => logOf('n1', ID), slow).toBe('busy\n')
    const usage = async (query = '') => JSON.parse((await get(`allocation/${ID}/stats${query}`)).text)
    // The loop gets some of the processor within half a second, or soon.
    await expect.poll(async () => (await usage()).ResourceUsage.CpuStats.TotalTicks, slow).toBeGreaterThan(0)
    const { Tasks, ResourceUsage, Timestamp } = await usage('?task=main')
    expect(Object.keys(Tasks)).toEqual(['main'])
    expect(ResourceUsage).toEqual(Tasks.main.ResourceUsage)
    expect(Timestamp).toBe(Tasks.main.Timestamp)
    expect(ResourceUsage.MemoryStats.RSS).toBeGreaterThan(100_000)
    expect((await usage('?task=other')).Tasks).toEqual({})
  })
})

describe('a task of an allocation', () => {
  it('is restarted and gets signals', async () => {
    const { put, ID, get } = await running("trap 'echo hup' HUP; echo start; while :; do sleep 0.1; done")
    await expect.poll(() => logOf('n1', ID), slow).toBe('start\n')
    expect((await put(`allocation/${ID}/signal`, { Task: 'main', Signal: 'SIGHUP' })).status).toBe(200)
    await expect.poll(() => logOf('n1', ID), slow).toBe('start\nhup\n')
    expect(await (await put(`allocation/${ID}/restart`, { TaskName: 'main' })).json()).toEqual({})
    await expect.poll(() => logOf('n1', ID), slow).toBe('start\nhup\nstart\n')
    const wrong = await put(`allocation/${ID}/signal`, { Task: 'main', Signal: 'SIGNONE' })
    expect([wrong.status, await wrong.text()]).toEqual([400, 'invalid signal SIGNONE'])
    const other = await put(`allocation/${ID}/restart`, { TaskName: 'other' })
    expect(await other.text()).toContain('Could not find task named: other')
    expect((await get(`fs/ls/none?path=/`)).status).toBe(404)
  })

  it('finds its ports, its meta and its folders in its environment', async () => {
    const group = {
      Networks: [{ DynamicPorts: [{ Label: 'http' }, { Label: 'in-side', To: 8080 }] }],
      Meta: { 'a-b': 'x' },
    }
    const { ID, scheduler } = await running('env; echo done; exec sleep 1000', {
      group,
      task: { Meta: { own: 'y' } },
    })
    await expect.poll(() => logOf('n1', ID), slow).toContain('done')
    const found = await scheduler.readAllocation(ID)
    const ports = found.ok ? (found.value.AllocatedResources.Shared.Ports ?? []) : []
    const port = (label: string) => ports.find(({ Label }) => Label === label)?.Value
    const lines = logOf('n1', ID).split('\n')
    const at = join(folder(), 'n1', 'allocations', ID)
    expect(lines).toEqual(
      expect.arrayContaining([
        `NOMAD_PORT_http=${port('http')}`,
        `NOMAD_HOST_PORT_http=${port('http')}`,
        `NOMAD_ADDR_http=127.0.0.1:${port('http')}`,
        'NOMAD_PORT_in_side=8080',
        `NOMAD_ADDR_in_side=127.0.0.1:${port('in-side')}`,
        `NOMAD_HOST_ADDR_in_side=127.0.0.1:${port('in-side')}`,
        'NOMAD_META_a_b=x',
        'NOMAD_META_OWN=y',
        `NOMAD_ALLOC_DIR=${at}/alloc`,
        `NOMAD_TASK_DIR=${at}/main/local`,
        `NOMAD_SECRETS_DIR=${at}/main/secrets`,
      ]),
    )
  })
})

describe('the payload of a dispatched job', () => {
  it.each([
    ['in/letter.txt', 'dear ada\n'],
    ['../letter.txt', /dispatch_payload: file ".*" is not in the folder local/],
  ])('is in the file %s of a task, if that is one of its own', async (File, expected) => {
    const { scheduler, runner, allocationOf } = await cluster()
    await runner('n1')
    const task = { DispatchPayload: { File } }
    const group = { ReschedulePolicy: { Attempts: 0, Unlimited: false } }
    const script = 'cat $NOMAD_TASK_DIR/in/letter.txt'
    await scheduler.registerJob(shell('mail', script, { Type: 'batch', ParameterizedJob: {}, task, group }))
    const child = unwrap(
      await scheduler.dispatchJob('mail', { payload: Buffer.from('dear ada\n').toString('base64') }),
    )
    const found = () => allocationOf(child.DispatchedJobID)
    await expect.poll(async () => (await found())?.ClientStatus, slow).toMatch(/complete|failed/)
    const { ID = '', ClientDescription } = (await found()) ?? {}
    expect(typeof expected === 'string' ? logOf('n1', ID) : ClientDescription).toMatch(expected)
  })
})

describe('the files of ended allocations', () => {
  it('are deleted by number and by age, never those of running ones', async () => {
    const parts = await cluster()
    const at = join(folder(), 'n1', 'allocations')
    for (const [name, age] of [
      ['old', 7200],
      ['late', 60],
      ['latest', 30],
    ] as const) {
      mkdirSync(join(at, name, 'alloc'), { recursive: true })
      writeFileSync(join(at, name, 'alloc', 'file'), '')
      const then = Date.now() / 1000 - age
      utimesSync(join(at, name), then, then)
    }
    await parts.runner('n1', {}, ['--keep-ended', '1', '--keep-ended-for', '1h'])
    await expect.poll(() => readdirSync(at), slow).toEqual(['latest'])
    await parts.scheduler.registerJob(shell('web', 'exec sleep 1000'))
    await expect.poll(async () => (await parts.live('web')).length, slow).toBe(1)
    await parts.scheduler.registerJob(shell('once', 'true', { Type: 'batch' }))
    const once = async () => (await parts.allocationOf('once'))?.ClientStatus
    await expect.poll(once, slow).toBe('complete')
    const [web] = await parts.live('web')
    const ended = (await parts.allocationOf('once'))?.ID ?? ''
    await expect.poll(() => readdirSync(at).sort(), slow).toEqual([ended, web?.ID ?? ''].sort())
    expect(existsSync(join(at, web?.ID ?? '', 'alloc'))).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { aJob, demoConsole } from './demo.ts'

describe(...needing('the console of a scheduler', chromium), () => {
  const under = demoConsole()
  const { confirm, goto, scheduler } = under
  const editor = () => under.page.getByRole('textbox', { name: 'Job' })
  const editorText = () => editor().inputValue()
  /** Writes over what is in the editor. */
  const write = async (text: string) => {
    await editor().click()
    await under.page.keyboard.press('Control+a')
    await under.page.keyboard.insertText(text)
  }

  it('shows a job soon after it was registered elsewhere, without a reload', async () => {
    const { page } = under
    await goto('/scheduler/jobs')
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
    await scheduler('/v1/jobs', aJob('live-one'))
    await page.getByRole('link', { name: 'live-one' }).waitFor()
  })

  it('filters a list, corrects a filter, and keeps it in the address', async () => {
    const { page } = under
    await goto('/scheduler/jobs')
    const box = page.getByLabel('Filter')
    await box.fill('Stauts == "dead"')
    await box.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'did you mean Status?' }).waitFor()
    await box.fill('Status = "dead"')
    await box.press('Enter')
    await page.locator('mark.mistake').waitFor()
    await page.getByRole('button', { name: /^Use/ }).click()
    await page.getByRole('link', { name: 'compaction' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'api', exact: true }).count()).toBe(0)
    await page.reload()
    await page.getByRole('link', { name: 'compaction' }).waitFor()
    expect(await page.getByLabel('Filter').inputValue()).toBe('Status == "dead"')
  })

  it.each([
    ['/scheduler/jobs', 'Jobs', 'cach', 'cache'],
    ['/scheduler/nodes', 'Nodes', 'node-01', 'node-010'],
    ['/scheduler/allocations', 'Allocations', 'api.server', 'api.server[0]'],
    ['/scheduler/evaluations', 'Evaluations', 'train-fore', 'train-forecast'],
    ['/scheduler/deployments', 'Deployments', 'checko', 'checkout'],
  ])(
    'finds a plain word in the names at %s, and turns it into an expression',
    async (path, name, word, found) => {
      const { page } = under
      await goto(path)
      const table = page.getByRole('table', { name })
      await table.waitFor()
      const box = page.getByLabel('Filter')
      await box.fill(word)
      await page.getByText(`contains “${word}”`, { exact: false }).waitFor()
      await box.press('Enter')
      await table.getByRole('link', { name: found, exact: true }).first().waitFor()
      await expect.poll(() => page.url()).toContain(`filter=${encodeURIComponent(word)}`)
      await page.getByRole('button', { name: 'Edit as an expression' }).click()
      await expect.poll(() => box.inputValue()).toContain(` contains "${word}"`)
      await box.press('Enter')
      await table.getByRole('link', { name: found, exact: true }).first().waitFor()
    },
  )

  it('finds rows that contain each of several words, and says so if there are none', async () => {
    const { page } = under
    await goto('/scheduler/jobs?filter=train%20fore')
    await page.getByText('1 job', { exact: true }).waitFor()
    await page.getByLabel('Filter').fill('no-such-job')
    await page.getByLabel('Filter').press('Enter')
    await page.getByText('No jobs match').waitFor()
    await page.getByRole('link', { name: 'Show all jobs' }).click()
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
  })

  it('explains why a row passes a filter', async () => {
    const { page } = under
    await goto(`/scheduler/jobs?filter=${encodeURIComponent('Status == "dead" or Priority == 99')}`)
    await page
      .getByRole('row', { name: /compaction/ })
      .getByRole('button', { name: /^Why/ })
      .click()
    const dialog = page.getByRole('dialog', { name: /Why .*compaction matches/ })
    await dialog.getByText('true Status == "dead"decisive').waitFor()
    await dialog.getByText('not evaluated Priority == 99').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })

  it('completes a filter by the keyboard', async () => {
    const { page } = under
    await goto('/scheduler/jobs')
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
    const box = page.getByRole('combobox', { name: 'Filter' })
    await box.pressSequentially('Statu')
    await page.getByRole('option', { name: 'Status', exact: false }).first().waitFor()
    await box.press('Tab')
    await expect.poll(() => box.inputValue()).toBe('Status ')
    await box.pressSequentially('== ')
    await box.pressSequentially('de')
    await page.getByRole('option', { name: '"dead"' }).waitFor()
    await box.press('Enter')
    await expect.poll(() => box.inputValue()).toBe('Status == "dead" ')
    await box.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    await box.press('Enter')
    await page.getByRole('link', { name: 'compaction' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'api', exact: true }).count()).toBe(0)
  })

  it.each([
    ['/scheduler/allocations', 'Allocations', 'ClientStatus == "running"'],
    ['/scheduler/evaluations', 'Evaluations', 'Status == "complete"'],
    ['/scheduler/deployments', 'Deployments', 'Status == "successful"'],
    ['/scheduler/nodes', 'Nodes', 'Status == "down"'],
  ])('has a filter at %s', async (path, name, filter) => {
    const { page } = under
    await goto(path)
    const table = page.getByRole('table', { name })
    await table.waitFor()
    await page.getByLabel('Filter').fill(filter)
    await page.getByLabel('Filter').press('Enter')
    await table.getByRole('button', { name: /^Why/ }).first().click()
    await page.getByRole('dialog').getByText(`true ${filter}`).waitFor()
  })

  it('plans and runs a job from its text, scales it, stops it and starts it again', async () => {
    const { page } = under
    await goto('/scheduler/run')
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByText(/web: 2 to place/).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { name: 'hello' }).waitFor()
    await page.getByRole('link', { name: 'hello.web[0]' }).waitFor()
    // A deployment under way would refuse it.
    await page.getByText('successful', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add one to web' }).click()
    await page.getByRole('link', { name: 'hello.web[2]' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('All its allocations are stopped.').waitFor()
    await confirm('Stop')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
  })

  it('marks where the text of a job cannot be read', async () => {
    const { page } = under
    await goto('/scheduler/run')
    await write('job "x" {\n  group "a" {\n    count = = 2\n  }\n}')
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByRole('alert').filter({ hasText: 'line 3' }).waitFor()
    await page.locator('mark.mistake').waitFor()
  })

  it('runs a job from JSON', async () => {
    const { page } = under
    await goto('/scheduler/run')
    await write(JSON.stringify(aJob('from-json'), null, 2))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { name: 'from-json' }).waitFor()
  })

  it('takes ? and / in the editor as text, and undoes what was typed', async () => {
    const { page } = under
    await goto('/scheduler/run')
    await write('job "x" {}')
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' // why?')
    await expect.poll(editorText, { timeout: 30_000 }).toBe('job "x" {} // why?')
    await page.keyboard.press('Control+z')
    await expect.poll(editorText).not.toContain('why?')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('edits a job from its submitted text, compares its versions, and reverts it', async () => {
    const { page } = under
    await goto('/scheduler/run')
    const text = (count: number) =>
      `job "changing" {\n  group "web" {\n    count = ${count}\n    task "main" { driver = "exec" }\n  }\n}\n`
    await write(text(1))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    for (const count of [2, 3]) {
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByRole('heading', { name: 'Edit changing' }).waitFor()
      await expect.poll(editorText).toContain(`count = ${count - 1}`)
      await write(text(count))
      await page.getByRole('button', { name: 'Plan' }).click()
      await page.getByRole('heading', { name: 'Plan' }).waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('heading', { name: 'changing', exact: true }).waitFor()
    }
    await page.getByText('Version 2', { exact: false }).first().waitFor()
    await page.getByLabel('Compare version').selectOption('0')
    const comparison = page.locator('.item', { has: page.getByLabel('Compare version') })
    await comparison.getByText('web.Count').waitFor()
    expect(await comparison.locator('del').first().textContent()).toBe('1')
    expect(await comparison.locator('ins').first().textContent()).toBe('3')
    await page.getByRole('button', { name: 'Revert to version 0' }).click()
    await confirm('Revert')
    await page.getByText('Version 3', { exact: false }).first().waitFor()
  })

  it('refuses to run what was planned for a job that has changed since', async () => {
    const { page } = under
    await goto('/scheduler/run')
    await write(JSON.stringify(aJob('contended')))
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByRole('heading', { name: 'Plan' }).waitFor()
    await scheduler('/v1/jobs', aJob('contended', { Count: 2 }))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: /[Ii]ndex|exists/ })
      .waitFor()
  })

  it('pauses, resumes and promotes a deployment with canaries, and fails another one', async () => {
    const { page } = under
    const canaries = (Priority: number) =>
      aJob('careful', { Count: 2, Update: { Canary: 1, MaxParallel: 1 } }, { Priority })
    const isDone = async (version: number) =>
      (await scheduler<{ JobVersion: number; Status: string }[]>('/v1/job/careful/deployments')).some(
        ({ JobVersion, Status }) => JobVersion === version && Status === 'successful',
      )
    const change = (env: string) => {
      const { Job } = canaries(50)
      const [group] = Job.TaskGroups
      return scheduler('/v1/jobs', {
        Job: {
          ...Job,
          TaskGroups: [{ ...group, Tasks: [{ Name: 'main', Driver: 'exec', Env: { V: env } }] }],
        },
      })
    }
    await scheduler('/v1/jobs', canaries(50))
    await expect.poll(() => isDone(0)).toBe(true)
    await change('one')
    await goto('/scheduler/jobs/careful')
    await page.getByText('1 of 1 canaries placed').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(/web: 1 of 2 healthy/).waitFor()
    await page.getByRole('button', { name: 'Promote', exact: true }).click()
    await page.getByText('promoted', { exact: false }).first().waitFor()
    await expect.poll(() => isDone(1)).toBe(true)
    // A button of the deployment that ended would be refused.
    await page.getByRole('button', { name: 'Fail' }).waitFor({ state: 'detached' })
    await change('two')
    await page.getByRole('button', { name: 'Fail' }).click()
    await confirm('Fail')
    await page.getByText('failed', { exact: true }).first().waitFor()
  })

  it('says why a group was not placed, on the pages of its job and of its evaluation', async () => {
    const { page } = under
    await scheduler(
      '/v1/jobs',
      aJob('too-large', { Tasks: [{ Name: 'main', Driver: 'exec', Resources: { MemoryMB: 9e8 } }] }),
    )
    await goto('/scheduler/jobs/too-large')
    await page.getByText('Placement failures').waitFor()
    await page.getByText(/web: 1 not placed/).waitFor()
    await page.getByText(/Too little memory/).waitFor()
    const [first] = await scheduler<{ ID: string; BlockedEval: string }[]>('/v1/job/too-large/evaluations')
    const failed = first?.BlockedEval ? first.ID : ''
    if (failed !== '') {
      await goto(`/scheduler/evaluations/${failed}`)
      await page.getByText(/web: 1 not placed/).waitFor()
    }
  })

  it('drains a node, and makes it eligible again', async () => {
    const { page } = under
    await goto('/scheduler/nodes')
    await page
      .getByRole('table', { name: 'Nodes' })
      .getByRole('row', { name: /ready/ })
      .first()
      .getByRole('link')
      .click()
    await page.getByRole('button', { name: 'Drain' }).click()
    await confirm('Drain')
    await page
      .getByText('ineligible', { exact: true })
      .or(page.getByText('draining', { exact: true }))
      .waitFor()
    await page
      .getByRole('button', { name: 'Make eligible' })
      .or(page.getByRole('button', { name: 'Stop draining' }))
      .first()
      .click()
    await page.getByRole('button', { name: 'Make ineligible' }).waitFor()
  })

  it('draws each node as a cell that names what runs on it', async () => {
    const { page } = under
    await goto('/scheduler/nodes')
    const cell = page
      .locator('.cluster')
      .getByRole('link', { name: /CPU [1-9]\d* %, memory \d+ %, [1-9]/ })
      .first()
    expect(await cell.getAttribute('title')).toMatch(/\n[\w-]+\.\w+\[\d+\]/)
    await page.getByRole('heading', { name: /default · dc1/ }).waitFor()
    await cell.click()
    await page.getByRole('heading', { name: 'Attributes' }).waitFor()
  })

  it('moves the focus into a followed view, and back to the link that was followed', async () => {
    const { page } = under
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent')
    await goto('/scheduler/jobs')
    await page.getByRole('link', { name: 'cache', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'cache' }).waitFor()
    expect(await focused()).toBe('main')
    await page.goBack()
    await expect.poll(focused).toBe('cache')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).not.toBe('cache')
  })

  it('says that the node of a simulated allocation has no output', async () => {
    const { page } = under
    await goto('/scheduler/jobs/api')
    await page.getByRole('link', { name: 'api.server[0]' }).first().click()
    await page.getByRole('button', { name: 'Logs of server' }).click()
    await page.getByText('The node of this allocation is simulated: it runs no tasks').waitFor()
    await page.getByRole('button', { name: 'Hide logs of server' }).click()
  })

  it('shows each object as JSON, and copies it', async () => {
    const { page } = under
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await goto('/scheduler/jobs/api')
    await page.getByRole('button', { name: 'JSON of api' }).click()
    const dialog = page.getByRole('dialog', { name: 'JSON of api' })
    await dialog.getByText('"TaskGroups"').waitFor()
    await dialog.getByRole('button', { name: 'Copy JSON' }).click()
    await expect
      .poll(async () => JSON.parse(String(await page.evaluate('navigator.clipboard.readText()'))))
      .toMatchObject({ ID: 'api', Namespace: 'default' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })

  it('opens the address of any view, also of a job whose ID holds slashes, and goes back', async () => {
    const { page } = under
    await scheduler('/v1/jobs', aJob('team/a job'.replace(' ', '-')))
    await goto('/scheduler/jobs')
    await page.getByRole('link', { name: 'team/a-job' }).click()
    await page.getByRole('heading', { name: 'team/a-job' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'team/a-job' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: 'team/a-job' }).waitFor()
  })
})

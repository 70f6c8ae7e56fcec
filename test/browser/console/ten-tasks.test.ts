import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { aJob, demoConsole } from './demo.ts'

/** What a task may take from the start page: a press, a choice, or a text that is typed and perhaps sent with Enter. */
const mostActions = 6

describe(...needing('ten tasks in the console, each from the start page', chromium), () => {
  const under = demoConsole()
  const { scheduler, secrets } = under

  /** Does a task in a tab that is signed in, and counts its actions. */
  const task = async (work: (act: Actions) => Promise<void>) => {
    const { page } = under
    const kept = { secrets: 'root', catalog: String(Object.values(under.ready().catalog.tokens)[0]) }
    await under.goto('/')
    await page.evaluate(`sessionStorage.setItem('plinth-tokens ', ${JSON.stringify(JSON.stringify(kept))})`)
    await page.reload()
    let actions = 0
    await work({
      press: async (role, name) => {
        actions += 1
        await page.getByRole(role, { name }).first().click()
      },
      type: async (label, text, key) => {
        actions += 1
        await page.getByLabel(label, { exact: true }).first().fill(text)
        if (key) await page.keyboard.press(key)
      },
      confirm: async (action) => {
        actions += 1
        await under.confirm(action)
      },
      choose: async (label, name, text) => {
        actions += 1
        await page
          .getByLabel(label)
          .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })
      },
      sees: async (text) => page.getByText(text).first().waitFor(),
    })
    expect(actions).toBeLessThanOrEqual(mostActions)
  }

  it('finds a failing job, and why it fails', () =>
    task(async ({ press, sees }) => {
      await press('link', /deployments failed/)
      await press('link', 'pricing')
      await sees('Failed due to')
    }))

  it('rolls a job back', async () => {
    for (const Count of [1, 2]) await scheduler('/v1/jobs', aJob('rolled', { Count }))
    await task(async ({ confirm, press, type, sees }) => {
      await press('link', 'Scheduler')
      await type('Filter', 'rolled', 'Enter')
      await press('link', 'rolled')
      await press('button', 'Revert to version 0')
      await confirm('Revert')
      await sees('The job is reverting')
    })
  })

  it('rotates a secret', async () => {
    await task(async ({ press, type, sees }) => {
      await press('link', 'Secrets')
      await press('link', 'secret/')
      await type('Search', 'database', 'Enter')
      await press('link', 'demo/database')
      await press('button', 'New version')
      await type('Value of field 1', 'rotated', 'Enter')
      await sees('Saved.')
    })
    const { data } = await secrets<{ data: { data: object } }>('secret/data/demo/database')
    expect(Object.values(data.data)).toContain('rotated')
  })

  it('makes a read-only token', () =>
    task(async ({ press, type, sees }) => {
      await press('link', 'Secrets')
      await press('link', 'Tokens')
      await type('Name', 'reader')
      await type('Policies, separated by commas', 'demo-reader', 'Enter')
      await sees('The token is shown once')
    }))

  it('publishes a box', () =>
    task(async ({ press, type, choose, sees }) => {
      await press('link', 'Catalog')
      await type('New box', 'admin/fresh', 'Enter')
      await choose('Image', 'fresh.box', 'an image')
      await type('Version', '1.0.0', 'Enter')
      await press('button', 'Release')
      await sees('Released.')
    }))

  it('drains a node', () =>
    task(async ({ confirm, press, sees }) => {
      await press('link', /nodes ready/)
      await press('link', /^batch-\d+$/)
      await press('button', 'Drain')
      await confirm('Drain')
      await sees('The node is draining.')
    }))

  it('finds why a job is not placed', () =>
    task(async ({ press, sees }) => {
      await press('link', /waiting for a node/)
      await press('link', /^[0-9a-f]{8}$/)
      await sees('Placement failures')
    }))

  it('revokes a token', async () => {
    const { auth } = await secrets<{ auth: { accessor: string } }>('auth/token/create', {
      display_name: 'leaked',
      ttl: '2m',
    })
    await task(async ({ confirm, press, sees }) => {
      await press('link', 'Secrets')
      await press('link', 'Tokens')
      await press('button', /^token-leaked/)
      await press('button', 'Revoke this token')
      await confirm('Revoke')
      await sees('The token is revoked.')
    })
    await expect(secrets('auth/token/lookup-accessor', { accessor: auth.accessor })).rejects.toThrow(
      'invalid accessor',
    )
  })

  it('enables a mount', async () => {
    await task(async ({ press, type, sees }) => {
      await press('link', 'Secrets')
      await press('link', 'Engines')
      await press('button', 'Enable a secrets engine')
      await type('Path', 'team')
      await type('Type', 'kv', 'Enter')
      await sees('Created: team')
    })
    await secrets('sys/mounts/team/tune')
  })

  it('finds how to use a module', () =>
    task(async ({ press, type, sees }) => {
      await press('link', 'Registry')
      await type('Search', 'network', 'Enter')
      await press('link', 'acme/network/aws')
      await sees(/^module "network"/)
    }))
})

interface Actions {
  readonly press: (role: 'link' | 'button', name: string | RegExp) => Promise<void>
  readonly type: (label: string, text: string, key?: 'Enter') => Promise<void>
  readonly confirm: (action: string) => Promise<void>
  readonly choose: (label: string, name: string, text: string) => Promise<void>
  readonly sees: (text: string | RegExp) => Promise<void>
}

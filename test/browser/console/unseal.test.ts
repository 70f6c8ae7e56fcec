import { describe, expect, it } from 'vitest'
import { createConsole } from '../../../src/console/index.ts'
import { serve } from '../../../src/http/node/index.ts'
import { createSecrets, devSecrets } from '../../../src/secrets/index.ts'
import { chromium, needing } from '../../programs.ts'
import { consoleUnderTest } from './under-test.ts'

describe(...needing('the console of a sealed service', chromium), () => {
  let keys: readonly string[] = []
  const under = consoleUnderTest(async () => {
    const secrets = createSecrets()
    const listening = await serve({ fetch: createConsole({ secrets }).fetch })
    const answer = await fetch(`${listening.url}/services/secrets/v1/sys/init`, {
      method: 'PUT',
      body: JSON.stringify({ secret_shares: 5, secret_threshold: 3 }),
    })
    keys = ((await answer.json()) as { keys: string[] }).keys
    return {
      url: listening.url,
      close: async () => {
        await listening.close()
        await secrets.close()
      },
    }
  })

  it('opens with enough of its key shares, one after the other', async () => {
    const { page } = under
    const give = async (share: string | undefined) => {
      await page.getByLabel('Key share').fill(share ?? '')
      await page.getByLabel('Key share').press('Enter')
    }
    await under.goto('/secrets')
    await page.getByText('0 of 3 key shares entered; there are 5').waitFor()
    await give(keys[4])
    await page.getByText('1 of 3 key shares entered').waitFor()
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByText('0 of 3 key shares entered').waitFor()
    for (const [at, share] of [keys[0], keys[2]].entries()) {
      await give(share)
      await page.getByText(`${at + 1} of 3 key shares entered`).waitFor()
    }
    await give(keys[3])
    await page.getByLabel('User name').waitFor()
  })
})

describe(...needing('a console that keeps no sign-ins', chromium), () => {
  const under = consoleUnderTest(async () => {
    const { service: secrets } = await devSecrets({ rootToken: 'root' })
    const listening = await serve({ fetch: createConsole({ secrets, keepSignIns: false }).fetch })
    return {
      url: listening.url,
      close: async () => {
        await listening.close()
        await secrets.close()
      },
    }
  })

  it('forgets the token when the page is loaded again', async () => {
    const { page } = under
    await under.goto('/secrets')
    await under.signIn('root')
    await page.getByRole('link', { name: 'secret/' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.reload()
    await page.getByLabel('User name').waitFor()
  })
})

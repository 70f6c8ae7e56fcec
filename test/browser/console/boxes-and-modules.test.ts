import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { demoConsole } from './demo.ts'

describe(...needing('the console of a catalog and a registry', chromium), () => {
  const under = demoConsole()
  const { goto, signIn } = under
  const catalog = (path: string, body?: unknown) =>
    fetch(under.ready().catalog.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${under.ready().catalog.tokens['admin']}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const asAdmin = async () => {
    await goto('/catalog')
    await signIn(under.ready().catalog.tokens['admin'] ?? '')
    await under.page.getByLabel('New box').waitFor()
  }

  it('finds a box, and gives the lines of a Vagrantfile for it', async () => {
    const { page } = under
    await goto('/catalog')
    await page.getByRole('link', { name: 'globex/builder' }).waitFor()
    await page.getByLabel('Search').fill('debian')
    await page.getByLabel('Search').press('Enter')
    await page.getByRole('link', { name: 'globex/builder' }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'acme/debian' }).click()
    await page.getByText('config.vm.box = "acme/debian"').waitFor()
    const newest = page.getByRole('table', { name: 'Providers of 12.5.0' })
    for (const name of ['virtualbox', 'libvirt'])
      await newest.getByRole('row', { name: new RegExp(`${name} amd64`) }).waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('acme/debian')
    await page.goBack()
    expect(await page.getByLabel('Search').inputValue()).toBe('debian')
  })

  it('makes a box, uploads an image with its checksum, releases and revokes its version', async () => {
    const { page } = under
    const image = Buffer.alloc(5 * 1024 * 1024 + 7, 'image')
    const steps = new Set<string>()
    await page.exposeFunction('saw', (text: string) => steps.add(text.replace(/ \d+ %$/, '')))
    await asAdmin()
    await page.getByLabel('New box').fill('admin/tiny')
    await page.getByLabel('New box').press('Enter')
    await page.getByLabel('Version', { exact: true }).fill('1.0.0')
    await page
      .getByLabel('Image')
      .setInputFiles({ name: 'tiny.box', mimeType: 'application/gzip', buffer: image })
    await page.evaluate(`new MutationObserver(() => {
      const shown = document.querySelector('.progress [role=status]')
      if (shown) window.saw(shown.textContent)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('unreleased').waitFor()
    expect([...steps]).toEqual(['Computing the checksum', 'Sending'])
    await page.getByTitle(createHash('sha256').update(image).digest('hex')).waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.locator('article').getByText('active').waitFor()
    const stored = await catalog('/admin/boxes/tiny/versions/1.0.0/providers/virtualbox/amd64/vagrant.box')
    expect(Buffer.from(await stored.arrayBuffer()).equals(image)).toBe(true)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await under.confirm('Revoke')
    await page.locator('article').getByText('revoked').waitFor()
  })

  it('lists the private boxes of the user of the token', async () => {
    const { page } = under
    await catalog('/api/v2/boxes', { box: { username: 'admin', name: 'hidden', is_private: true } })
    await goto('/catalog')
    await page.getByRole('link', { name: 'acme/debian' }).waitFor()
    expect(await page.getByRole('link', { name: 'admin/hidden' }).count()).toBe(0)
    await asAdmin()
    await page.getByRole('table', { name: 'Your boxes' }).getByRole('link', { name: 'admin/hidden' }).click()
    await page.getByText('members').waitFor()
  })

  it('says once that a token is wrong, and takes another one', async () => {
    const { page } = under
    await goto('/catalog')
    await signIn('wrong')
    await page.getByText('Bad access token!').waitFor()
    // The boxes of the user come from another request, which is refused as well.
    await page.getByLabel('New box').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.getByText('Bad access token!').count()).toBe(1)
    const again = page.getByRole('alert').getByLabel('Token', { exact: true })
    await again.fill(under.ready().catalog.tokens['admin'] ?? '')
    await again.press('Enter')
    await page.getByRole('table', { name: 'Your boxes' }).waitFor()
    expect(await page.getByText('Bad access token!').count()).toBe(0)
  })

  it('replaces an image, also its checksum', async () => {
    const { page } = under
    await asAdmin()
    await page.getByLabel('New box').fill('admin/again')
    await page.getByRole('button', { name: 'Create' }).click()
    for (const text of ['first', 'second']) {
      await page.getByLabel('Version', { exact: true }).fill('1.0.0')
      await page
        .getByLabel('Image')
        .setInputFiles({ name: 'again.box', mimeType: 'application/gzip', buffer: Buffer.from(text) })
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByTitle(createHash('sha256').update(text).digest('hex')).waitFor()
    }
  })

  it('shows markup in descriptions and READMEs as text', async () => {
    const { page } = under
    const attack = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    const links = '[a](javascript:document.title=3) [b](https://example.com)'
    await catalog('/api/v2/boxes', {
      box: {
        username: 'admin',
        name: 'markup',
        short_description: attack,
        description: `${attack}\n\n${links}`,
      },
    })
    await asAdmin()
    await page.getByRole('link', { name: 'admin/markup' }).first().click()
    await page.getByText(attack).first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'b', exact: true }).getAttribute('href')).toBe(
      'https://example.com',
    )
    expect(await page.locator('main a[href^="javascript"]').count()).toBe(0)
    expect(await page.title()).toBe('admin/markup · Plinth')
  })

  it('finds a module, and shows what it takes and gives', async () => {
    const { page } = under
    await goto('/registry')
    await page.getByLabel('Search').fill('network')
    await page.getByLabel('Search').press('Enter')
    await page.getByRole('link', { name: 'globex/cluster/aws' }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'acme/network/aws' }).click()
    await page.getByText(`source  = "${new URL(under.ready().registry.url).host}/acme/network/aws"`).waitFor()
    await page.getByRole('heading', { name: 'Network', exact: true }).waitFor()
    await page
      .getByRole('table', { name: 'Inputs' })
      .getByRole('row', { name: /cidr string required/ })
      .waitFor()
    await page.getByRole('table', { name: 'Outputs' }).getByText('The tags of everything').waitFor()
    await page.getByText('terraform_data.this').waitFor()
    await page.getByRole('heading', { name: 'Downloads' }).waitFor()
    await page.getByText('91,204').first().waitFor()
  })

  it('shows another version and a submodule, each at an address of its own', async () => {
    const { page } = under
    await goto('/registry/acme/network/aws')
    await page.getByLabel('Version').selectOption('1.1.0')
    await page.getByText('version = "1.1.0"').waitFor()
    await page.getByRole('table', { name: 'Dependencies' }).getByText('acme/labels/null').waitFor()
    await page.getByText('aws_subnet.private').waitFor()
    await page.getByLabel('Part').selectOption('modules/peering')
    await page.getByRole('table', { name: 'Inputs' }).getByText('peer_id').waitFor()
    await page.reload()
    await page.getByRole('table', { name: 'Inputs' }).getByText('peer_id').waitFor()
    await page.getByText('version = "1.1.0"').waitFor()
    await page.goBack()
    await page.getByRole('table', { name: 'Inputs' }).getByText('cidr').waitFor()
  })
})

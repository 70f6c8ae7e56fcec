import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { chromium, needing, terraform, vagrant } from '../../programs.ts'
import { demoConsole } from './demo.ts'

const folder = mkdtempSync(join(tmpdir(), 'plinth-snippets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>) =>
  (await promisify(execFile)(program, [...args], { cwd: folder, env: { ...process.env, ...env } })).stdout

describe('the snippets of the console, as they are copied', () => {
  const under = demoConsole()
  const snippet = async (label: RegExp) => {
    const shown = under.page.locator('figure.snippet').filter({ hasText: label })
    return (await shown.locator('pre').textContent()) ?? ''
  }

  it(...needing('fetch a box with Vagrant', chromium, vagrant), async () => {
    await under.goto('/catalog/acme/alpine')
    writeFileSync(join(folder, 'Vagrantfile'), await snippet(/Vagrantfile/))
    const home = { VAGRANT_HOME: join(folder, 'home') }
    const added = await run('vagrant', ['box', 'add', 'acme/alpine', '--provider', 'virtualbox'], home)
    expect(added).toContain('Successfully added box')
  })

  it(...needing('fetch a module with Terraform', chromium, terraform), async () => {
    await under.goto('/registry/acme/network/aws')
    writeFileSync(join(folder, 'main.tf'), await snippet(/^Terraform/))
    const config = join(folder, '.terraformrc')
    writeFileSync(config, await snippet(/terraformrc/))
    expect(await run('terraform', ['init', '-no-color'], { TF_CLI_CONFIG_FILE: config })).toContain(
      'successfully initialized',
    )
  })
})
